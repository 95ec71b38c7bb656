"""--softmax-slice: validation and generation without the table of all words."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from fairseq.sequence_generator import SequenceGenerator

from alone_fairseq.errors import AloneError
from tests.fairseq.built_models import Built, logits, make_batch, write_dictionaries
from tests.fairseq.test_chunked_criterion import CHUNKED, TYING, outcome
from tests.fairseq.test_one_table import count_tables
from tests.made_tensors import MadeTensors

Build = Callable[..., Built]
SLICED = ("--softmax-slice", 7)
SMOOTH = ("--label-smoothing", 0.1, "--ignore-prefix-size", 1)
CRITERIA = {
    "chunked": CHUNKED,
    "sampled": (
        *("--criterion", "sampled_label_smoothed_cross_entropy"),
        *("--sampled-words", 12),
    ),
}
LAYERS: dict[str, tuple[object, ...]] = {
    "usual": (),
    "joint": ("--output-layer", "joint", "--joint-dim", 24),
    "output": ("--output-layer", "joint", "--joint-structure", "output"),
    "bilinear": ("--output-layer", "bilinear"),
}


def losses(built: Built, batch: dict[str, Any]) -> list[torch.Tensor]:
    """Loss and negative log-likelihood of a validation, then the loss of each token."""
    built.model.eval()
    with torch.no_grad():
        whole, _, logged = built.criterion(built.model, batch)
        each, *_ = built.criterion(built.model, batch, reduce=False)
    return [whole, logged["nll_loss"], each]


def beam_search(built: Built) -> list[Any]:
    """Translate the batch of the tests."""
    built.model.eval()
    dictionary = built.task.target_dictionary
    generator = SequenceGenerator([built.model], dictionary, beam_size=3, max_len_b=8)
    found = generator.generate([built.model], make_batch(built.task))
    return [[(h["tokens"].tolist(), h["score"]) for h in each] for each in found]


@pytest.mark.parametrize(
    ("method", "tying", "layer", "criterion", "bias"),
    [
        ("alone-real", "all tied", "joint", "sampled", "trained"),
        ("alone-binary", "decoder tied", "usual", "chunked", "unigram"),
        ("low_rank", "nothing tied", "bilinear", "chunked", "none"),
        ("lookup", "nothing tied", "usual", "sampled", "trained"),
        ("low_rank", "all tied", "output", "chunked", "none"),
    ],
)
def test_all_is_as_with_the_table(
    method: str,
    tying: str,
    layer: str,
    criterion: str,
    bias: str,
    build: Build,
    methods: dict[str, list[str]],
) -> None:
    flags = (*methods[method], *TYING[tying], *LAYERS[layer], *CRITERIA[criterion])
    flags = (*flags, *SMOOTH, "--softmax-bias", bias)
    expected, built = build(*flags), build(*flags, *SLICED)
    built.model.load_state_dict(expected.model.state_dict())
    batch = make_batch(built.task)
    tables = count_tables(built.model.decoder.embed_tokens)
    torch.testing.assert_close(losses(built, batch), losses(expected, batch))
    torch.testing.assert_close(
        logits(built.model, batch), logits(expected.model, batch)
    )
    for mine, whole in zip(beam_search(built), beam_search(expected), strict=True):
        assert [words for words, _ in mine] == [words for words, _ in whole]
        torch.testing.assert_close([s for _, s in mine], [s for _, s in whole])
    assert not tables


def test_training_is_as_without(build: Build) -> None:
    flags = (*CHUNKED, "--dropout", 0, "--alone-relu-dropout", 0)
    expected, built = build(*flags), build(*flags, *SLICED)
    batch = make_batch(built.task)
    torch.testing.assert_close(
        outcome(built, batch), outcome(expected, batch), atol=1e-5, rtol=1e-4
    )


@pytest.mark.parametrize("layer", ["usual", "joint"])
def test_no_tensor_grows_with_the_table(
    layer: str, build: Build, tmp_path: Path
) -> None:
    largest = []
    for vocabulary in (2000, 4000):
        data = tmp_path / str(vocabulary)
        data.mkdir()
        write_dictionaries(data, (vocabulary, vocabulary))
        built = build(*CHUNKED, *LAYERS[layer], "--softmax-slice", 100, data=data)
        values = vocabulary * built.model.decoder.embed_tokens.embedding_dim
        built.model.eval()
        with torch.no_grad(), MadeTensors() as made:
            built.criterion(built.model, make_batch(built.task))
        largest.append(max(size for _, size in made.found))
        with MadeTensors() as made:
            beam_search(built)
        assert max(size for _, size in made.found) < values
    assert largest[0] == largest[1] < 2000 * 32


@pytest.mark.parametrize("given", ["-1", "0.5", "many", ""])
def test_bad_input(given: str, build: Build) -> None:
    with pytest.raises(AloneError, match="--softmax-slice must be a whole number from"):
        build("--softmax-slice=" + given)
