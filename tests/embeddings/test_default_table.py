"""The table of a method that has written ``rows`` only: slices, and their memory."""

from dataclasses import dataclass

import pytest
import torch
from torch import Tensor, nn

from alone_fairseq.embeddings import CompactEmbedding, MethodOptions, TableSize
from alone_fairseq.embeddings.tables import slices

WORDS, DIM = 1000, 8


@dataclass
class NoOptions(MethodOptions):
    """None."""


class Wide(CompactEmbedding):
    """Vectors from many inner values, which are counted as they are made."""

    largest = 0

    def lay_out(self, config: NoOptions, size: TableSize) -> None:
        del config
        self.matrix = nn.Parameter(torch.empty(size.embedding_dim, 4))

    def reset_parameters(self) -> None:
        nn.init.normal_(self.matrix)

    def rows(self, tokens: Tensor) -> Tensor:
        self.largest = max(self.largest, tokens.numel())
        angles = tokens.unsqueeze(-1) * torch.arange(1.0, 5.0)
        return torch.tanh(angles.sin() @ self.matrix.t())


@pytest.fixture
def embedding() -> Wide:
    torch.manual_seed(1)
    return Wide(WORDS, DIM, 0, config=NoOptions())


@pytest.mark.parametrize("at_a_time", [1, 700, WORDS * DIM])
def test_slices_give_the_values_and_gradients_of_one_piece(
    embedding: Wide, at_a_time: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slices, "VALUES_AT_A_TIME", at_a_time)
    weights = torch.randn(WORDS, DIM)
    table = embedding.table()
    assert embedding.largest <= max(1, at_a_time // DIM)
    whole = embedding.rows(torch.arange(WORDS))
    torch.testing.assert_close(table, whole)
    mine, expected = (
        torch.autograd.grad((t * weights).sum(), embedding.matrix)
        for t in (table, whole)
    )
    torch.testing.assert_close(mine, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("at_a_time", "kept"), [(WORDS * DIM, True), (800, False)])
def test_more_than_a_slice_is_not_kept_for_the_way_back(
    embedding: Wide, at_a_time: int, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slices, "VALUES_AT_A_TIME", at_a_time)
    sizes: list[int] = []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: sizes.append(t.numel()) or t, lambda t: t
    ):
        embedding.table()
    assert (sum(sizes) >= WORDS * DIM) == kept


def test_a_softmax_of_it_keeps_it_at_rest(embedding: Wide) -> None:
    embedding.eval()
    hidden = torch.randn(2, DIM)
    with torch.no_grad():
        first = embedding.tied_logits(hidden)
        embedding.largest = 0
        assert torch.equal(embedding.tied_logits(hidden), first)
    assert embedding.largest == 0
