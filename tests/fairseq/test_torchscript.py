"""Models and generators export to TorchScript, as fairseq's own tests do it."""

import io
from collections.abc import Callable
from typing import Any

import pytest
import torch
from fairseq.sequence_generator import SequenceGenerator

from tests.fairseq.built_models import Built, logits, make_batch, train
from tests.methods import FLAGS

# The contract of methods scripts each of them; whole models take seconds.
METHODS = [
    name if name == "alone-real" else pytest.param(name, marks=pytest.mark.slow)
    for name in FLAGS
]
TYING = {
    "all tied": [],
    "nothing tied": ["separate"],
    "nothing tied, with word frequencies": ["separate", "--softmax-bias", "trained"],
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("tying", list(TYING))
def test_scripted_model_says_the_same(
    method: str,
    tying: str,
    build: Callable[..., Built],
    methods: dict[str, list[str]],
) -> None:
    built = build(*methods[method], *TYING[tying])
    batch = make_batch(built.task)
    expected = logits(built.model, batch)
    scripted = reload(torch.jit.script(built.model))
    torch.testing.assert_close(logits(scripted, batch), expected)
    built.model.train()
    torch.jit.script(built.model)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("bias", ["none", "unigram"])
@pytest.mark.parametrize("method", METHODS)
def test_scripted_generator_says_the_same(
    method: str,
    bias: str,
    build: Callable[..., Built],
    methods: dict[str, list[str]],
) -> None:
    built = build(*methods[method], "--softmax-bias", bias)
    train(built, 2)
    batch = make_batch(built.task)
    beam = {"beam_size": 2, "max_len_b": 6}
    generator = SequenceGenerator([built.model], built.task.target_dictionary, **beam)
    expected = generator.forward(batch)
    scripted = reload(torch.jit.script(generator))
    tensors = {"net_input": batch["net_input"]}
    found = scripted.forward(tensors)
    for sentence, other in zip(found, expected, strict=True):
        for hypothesis, expected_one in zip(sentence, other, strict=True):
            assert torch.equal(hypothesis["tokens"], expected_one["tokens"])
            torch.testing.assert_close(hypothesis["score"], expected_one["score"])


def reload(scripted: Any) -> Any:
    """Save and load a scripted module."""
    buffer = io.BytesIO()
    torch.jit.save(scripted, buffer)
    buffer.seek(0)
    return torch.jit.load(buffer)
