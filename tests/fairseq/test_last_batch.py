"""No sentence is dropped because the last batch has an odd size."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fairseq import options, tasks
from fairseq.data import data_utils
from fairseq.dataclass.utils import convert_namespace_to_omegaconf
from hypothesis import given
from hypothesis import strategies as st


def stock_batches(*args: Any, **kwargs: Any) -> list[np.ndarray]:
    batches: list[np.ndarray] = data_utils.batch_by_size.__wrapped__(*args, **kwargs)
    return batches


@given(
    lengths=st.lists(st.integers(1, 30), max_size=60),
    max_tokens=st.none() | st.integers(30, 200),
    max_sentences=st.none() | st.integers(1, 20),
    multiple=st.integers(1, 9),
    vector=st.booleans(),
)
def test_batches_hold_every_sentence_once(
    lengths: list[int],
    max_tokens: int | None,
    max_sentences: int | None,
    multiple: int,
    vector: bool,
) -> None:
    sizes = np.array(lengths, dtype=np.int64)
    indices = np.argsort(sizes, kind="stable")
    batches = data_utils.batch_by_size(
        indices,
        lambda index: sizes[index],
        num_tokens_vec=sizes[indices] if vector else None,
        max_tokens=max_tokens,
        max_sentences=max_sentences,
        required_batch_size_multiple=multiple,
    )
    assert [index for batch in batches for index in batch] == indices.tolist()
    for batch in batches:
        assert len(batch) > 0
        assert max_sentences is None or len(batch) <= max_sentences
        assert max_tokens is None or len(batch) * sizes[batch].max() <= max_tokens


def test_stock_fairseq_drops_the_last_batch() -> None:
    sizes = np.arange(1, 12)
    kept = stock_batches(
        np.arange(11), None, sizes, max_sentences=8, required_batch_size_multiple=8
    )
    assert sum(len(batch) for batch in kept) == 8
    with pytest.raises(IndexError):
        stock_batches(np.arange(0), None, sizes, required_batch_size_multiple=8)


@pytest.mark.parametrize("indices", [[], np.arange(0), range(0), iter(())])
def test_nothing_makes_no_batches(indices: Any) -> None:
    sizes = np.arange(1, 12)
    assert data_utils.batch_by_size(indices, None, sizes, 60, None, 8) == []


def test_fixed_shapes_are_left_alone() -> None:
    sizes = np.full(16, 4)
    args = (np.arange(16), lambda index: sizes[index])
    shapes = np.array([[8, 4]])
    mended = data_utils.batch_by_size(*args, fixed_shapes=shapes)
    stock = stock_batches(*args, fixed_shapes=shapes)
    assert [list(batch) for batch in mended] == [list(batch) for batch in stock]


@pytest.fixture(scope="session")
def ragged_data(preprocess: Callable[..., Path]) -> Path:
    """Eleven sentences for training, which no multiple of eight holds."""
    return preprocess({"train": 11, "valid": 3})


@pytest.mark.slow
@pytest.mark.parametrize("split", ["train", "valid"])
def test_training_and_validation_see_every_sentence(
    split: str, ragged_data: Path, recipe: list[str]
) -> None:
    parser = options.get_training_parser()
    args = options.parse_args_and_arch(parser, [str(ragged_data), *recipe])
    task = tasks.setup_task(convert_namespace_to_omegaconf(args).task)
    task.load_dataset(split)
    iterator = task.get_batch_iterator(
        task.dataset(split), max_tokens=50, required_batch_size_multiple=8
    )
    batches = list(iterator.next_epoch_itr())
    seen = sorted(int(index) for batch in batches for index in batch["id"])
    assert seen == list(range({"train": 11, "valid": 3}[split]))
