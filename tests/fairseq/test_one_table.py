"""A forward pass of the model builds the table of its embedding once."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.fairseq.built_models import Built, make_batch

Build = Callable[..., Built]


def count_tables(embedding: Any) -> list[None]:
    """Note each table that ``embedding`` builds from now on."""
    built: list[None] = []
    table = embedding.table
    embedding.table = lambda: built.append(None) or table()
    return built


def loss_and_gradients(built: Built) -> tuple[torch.Tensor, list[torch.Tensor]]:
    loss, *_ = built.criterion(built.model, make_batch(built.task))
    trained = [p for p in built.model.parameters() if p.requires_grad]
    return loss, list(torch.autograd.grad(loss, trained))


@pytest.mark.parametrize("method", ["alone-real", "alone-binary"])
@pytest.mark.parametrize(
    "tying", [(), ("untied", "--share-decoder-input-output-embed")]
)
def test_it_is_exact(
    method: str, tying: tuple[str, ...], build: Build, methods: dict[str, list[str]]
) -> None:
    flags = ["--alone-relu-dropout", 0, "--dropout", 0]
    built = build(*methods[method], *tying, *flags)
    built.model.train()
    tables = count_tables(built.model.decoder.embed_tokens)
    loss, gradients = loss_and_gradients(built)
    assert len(tables) == 1
    for part in (built.model.encoder, built.model.decoder):
        part.embed_tokens.training_rows = part.embed_tokens.rows  # token by token
    plain_loss, plain_gradients = loss_and_gradients(built)
    torch.testing.assert_close(loss, plain_loss)
    for gradient, expected in zip(gradients, plain_gradients, strict=True):
        torch.testing.assert_close(gradient, expected, atol=1e-5, rtol=1e-4)


def test_input_look_ups_take_no_part_in_it_while_dropout_acts(build: Build) -> None:
    built = build("--alone-relu-dropout", 0.5, "--dropout", 0)
    built.model.train()
    tables = count_tables(built.model.decoder.embed_tokens)
    first, _ = loss_and_gradients(built)
    second, _ = loss_and_gradients(built)
    assert len(tables) == 2
    assert not torch.equal(first, second)


def test_an_embedding_without_a_softmax_builds_no_table(build: Build) -> None:
    built = build("untied", "--alone-relu-dropout", 0)
    tables = count_tables(built.model.encoder.embed_tokens)
    loss_and_gradients(built)
    assert not tables
