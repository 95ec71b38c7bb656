"""The criterion with a sample of the words, in models as fairseq builds them."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from alone_fairseq.errors import AloneError
from tests.fairseq.built_models import (
    Built,
    make_batch,
    train,
    write_dictionaries,
)
from tests.fairseq.test_chunked_criterion import QUIET, TYING, outcome
from tests.fairseq.test_one_table import count_tables

Build = Callable[..., Built]
SAMPLED = ("--criterion", "sampled_label_smoothed_cross_entropy")
ALL = (*SAMPLED, "--sampled-words", "100%")
FEW = (*SAMPLED, "--sampled-words", 12)
LAYERS: dict[str, list[object]] = {
    "usual": [],
    "joint": ["--output-layer", "joint", "--softmax-bias", "trained"],
}


@pytest.mark.parametrize(
    ("method", "tying", "layer"),
    [
        ("alone-real", "all tied", "joint"),
        pytest.param("alone-real", "all tied", "usual", marks=pytest.mark.slow),
        pytest.param("low_rank", "decoder tied", "usual", marks=pytest.mark.slow),
        pytest.param("lookup", "nothing tied", "usual", marks=pytest.mark.slow),
    ],
)
def test_with_all_words_it_is_fairseqs(
    method: str,
    tying: str,
    layer: str,
    build: Build,
    methods: dict[str, list[str]],
) -> None:
    flags = (*methods[method], *TYING[tying], *LAYERS[layer], *QUIET)
    flags = (*flags, "--ignore-prefix-size", 1)
    expected, built = build(*flags), build(*flags, *ALL, "--sampled-log-q")
    tables = count_tables(built.model.decoder.embed_tokens)
    batch = make_batch(built.task)
    torch.testing.assert_close(
        outcome(built, batch), outcome(expected, batch), atol=1e-5, rtol=1e-4
    )
    assert not tables


@pytest.mark.slow
def test_validation_has_all_words(build: Build) -> None:
    expected, built = build(*QUIET), build(*QUIET, *FEW)
    batch = make_batch(built.task)
    losses = {}
    for each in (expected, built):
        each.model.eval()
        with torch.no_grad():
            for reduce in (True, False):
                loss, *_ = each.criterion(each.model, batch, reduce)
                losses[each.criterion.__class__, reduce] = loss
    whole, single, mine, each_token = losses.values()
    torch.testing.assert_close(mine, whole)
    torch.testing.assert_close(each_token, single)
    built.model.train()
    less, *_ = built.criterion(built.model, batch)
    assert less < 0.9 * mine


def samples(built: Built, updates: list[int]) -> list[list[int]]:
    """Draw samples for batches of updates, in this order."""
    target = torch.tensor([5, 9, 5, 2])
    return [built.criterion.draw(target, update)[0].tolist() for update in updates]


def test_a_sample_follows_from_seed_update_and_place(build: Build) -> None:
    built = build(*FEW)
    first, second, other = samples(built, [3, 3, 4])
    assert len({*map(tuple, (first, second, other))}) == 3
    # A training that goes on after update 3 begins with no memory of what was before.
    built.criterion._update = -1
    assert samples(built, [4]) == [other]
    built.criterion.seed += 1
    assert samples(built, [3]) != [first]
    assert first[:3] == [2, 5, 9]
    assert len({*first}) == 12


def test_a_drawn_word_stands_for_others(build: Build) -> None:
    target = torch.tensor([5, 9, 5, 2])
    built = build(*FEW, "--sampled-log-q")
    words, places, stands_for = built.criterion.draw(target, 0)
    assert words[places].tolist() == target.tolist()
    vocabulary = len(built.task.target_dictionary)
    assert stands_for[:3].tolist() == [1, 1, 1]
    assert stands_for.sum().item() == pytest.approx(vocabulary)
    built.criterion.log_q = False
    assert built.criterion.draw(target, 0)[2].tolist() == [1] * 12


@pytest.mark.slow
def test_more_target_words_than_the_sample_has(
    build: Build, caplog: pytest.LogCaptureFixture
) -> None:
    built = build(*SAMPLED, "--sampled-words", 2, "--sampled-log-q", *QUIET)
    with caplog.at_level(logging.WARNING, "alone_fairseq"):
        train(built, 2)
    told = [m for m in caplog.messages if "--sampled-words makes room for 2" in m]
    assert len(told) == 1


@pytest.mark.slow
@pytest.mark.parametrize("precision", [(), ("--bf16",), ("--memory-efficient-fp16",)])
def test_a_model_learns_by_it(precision: tuple[str, ...], build: Build) -> None:
    flags = (*QUIET, *FEW, "--sampled-log-q", "--update-freq", 2, *precision)
    losses = train(build(*flags), 10)
    assert losses[-1] < 0.8 * losses[0]
    if precision == ("--bf16",):
        assert train(build(*flags), 10) == losses


class Sizes(TorchDispatchMode):
    """Notes how many values each operation makes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, int]] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        made = func(*args, **(kwargs or {}))
        every = made if isinstance(made, tuple | list) else [made]
        name = str(func)
        self.found += [(name, x.numel()) for x in every if isinstance(x, Tensor)]
        return made


@pytest.mark.parametrize(
    "layer", ["joint", pytest.param("usual", marks=pytest.mark.slow)]
)
def test_no_work_grows_with_the_vocabulary(
    layer: str, build: Build, tmp_path: Path
) -> None:
    """Forward, backward, clipping and Adam make the same tensors whatever V is."""
    found = []
    flags = LAYERS[layer][:2]  # a trained bias has V values
    for vocabulary in (500, 1000):
        folder = tmp_path / str(vocabulary)
        folder.mkdir()
        write_dictionaries(folder, (vocabulary, vocabulary))
        built = build(*FEW, *flags, "--alone-filter", "real", data=folder)
        train(built, 1)
        with Sizes() as sizes:
            train(built, 1)
        found.append(sizes.found)
    assert found[0] == found[1]
    assert len(found[0]) > 500


@pytest.mark.parametrize(
    ("flags", "line"),
    [
        (
            ("--sampled-words", "0%"),
            r"must lie in \(0%, 100%\], not 0%",
        ),
        (("--sampled-words", "150%"), "--sampled-words must lie in"),
        (("--sampled-words", "-4"), r"--sampled-words must lie in \[2, 34\]"),
        (("--sampled-words", "99"), "the words of the target dictionary, not 99"),
        (("--sampled-words", "half"), "a share such as 25%, or a number of words"),
        (("--report-accuracy",), "--report-accuracy needs all logits"),
    ],
)
@pytest.mark.slow
def test_bad_input(flags: tuple[str, ...], line: str, build: Build) -> None:
    with pytest.raises(AloneError, match=line) as caught:
        build(*SAMPLED, *flags)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_a_training_that_is_carried_on_draws_the_same(
    train: Callable[..., Any],
    read_checkpoint: Callable[[Path], dict[str, Any]],
    tmp_path: Path,
) -> None:
    flags = (*SAMPLED, "--sampled-words", "50%", "--sampled-log-q", "--update-freq", 2)
    train(tmp_path / "whole", *flags, "--max-update", 9)
    train(tmp_path / "parts", *flags, "--max-update", 4)
    done = train(tmp_path / "parts", *flags, "--max-update", 9)
    assert "@ 4 updates" in done.stdout
    whole, parts = (
        read_checkpoint(tmp_path / name / "checkpoint_last.pt")["model"]
        for name in ("whole", "parts")
    )
    torch.testing.assert_close(parts, whole, rtol=0, atol=0)
