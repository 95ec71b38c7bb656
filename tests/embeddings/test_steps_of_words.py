"""Steps of Adam's change a word as much as they would in a look-up table."""

import pytest
import torch

from alone_fairseq.embeddings.low_rank import LowRankEmbedding
from alone_fairseq.embeddings.own_values import OwnValues

WORDS = 200
RATE = 1e-3


def progress(
    values: torch.Tensor, vectors: torch.Tensor, wanted: torch.Tensor
) -> float:
    """Make Adam's first step, against the sign of the gradient: how far down is it?"""
    loss = (vectors * wanted).sum()
    (gradient,) = torch.autograd.grad(loss, values)
    return float(RATE * gradient.abs().sum())


@pytest.mark.parametrize(("rank", "dim"), [(8, 64), (32, 128), (64, 64), (16, 512)])
@pytest.mark.parametrize("method", ["own values", "low_rank"])
def test_a_step_goes_as_far_as_that_of_a_look_up_table(
    method: str, rank: int, dim: int
) -> None:
    torch.manual_seed(1)
    tokens = torch.arange(WORDS)
    wanted = torch.randn(WORDS, dim)
    table = torch.zeros(WORDS, dim, requires_grad=True)
    if method == "low_rank":
        embedding = LowRankEmbedding(
            WORDS, dim, low_rank_dim=rank, low_rank_start="steps"
        )
        values, vectors = embedding.narrow, embedding.rows(tokens)
        assert vectors.std().item() == pytest.approx(dim**-0.5, rel=0.1)
    else:
        own = OwnValues(WORDS, rank, dim)
        own.reset_parameters()
        values, vectors = own.values, own(tokens)
        assert not vectors.any()
    expected = progress(table, table[tokens], wanted)
    assert progress(values, vectors, wanted) == pytest.approx(expected, rel=0.1)
