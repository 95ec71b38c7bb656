"""The table of two layers in tiles: the same values and gradients, where it is used."""

from contextlib import nullcontext
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from alone_fairseq.embeddings.filters import sum_of_rows
from alone_fairseq.embeddings.tables import network, tiles
from tests.embeddings.alone_models import make


@pytest.fixture(autouse=True)
def _small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles, "WORDS_OF_TILE", 3)
    monkeypatch.setattr(tiles, "INNER_OF_TILE", 2)
    monkeypatch.setattr(network, "KEPT_BYTES", 0)


@pytest.mark.parametrize("kind", ["products", "sums of rows"])
@pytest.mark.parametrize("words", [1, 3, 7])
@pytest.mark.parametrize("inner", [1, 5])
@pytest.mark.parametrize(
    "trained", [(True, True), (True, False), (False, True)], ids=["both", "W1", "W2"]
)
def test_gradients(
    kind: str, words: int, inner: int, trained: tuple[bool, bool]
) -> None:
    torch.manual_seed(1)
    dim = 0 if kind == "products" else 1
    read = torch.randn(7, 4) if dim == 0 else torch.randint(0, 4, (7, 3))
    read = read.double() if dim == 0 else read
    layer = F.linear if dim == 0 else sum_of_rows
    first, last = (
        torch.randn(*size, dtype=torch.double).requires_grad_(needs)
        for size, needs in zip(
            [(inner, 4) if dim == 0 else (4, inner), (6, inner)], trained, strict=True
        )
    )

    def table(first: Tensor, last: Tensor) -> Tensor:
        of_words = tiles.FirstLayer(lambda part: read[part], layer, first, dim, 4)
        return tiles.two_layers_in_tiles(of_words, last, torch.arange(words))

    expected = F.relu(layer(read[:words], first)) @ last.t()
    torch.testing.assert_close(table(first, last), expected)
    assert torch.autograd.gradcheck(table, (first, last))


@pytest.mark.parametrize(
    ("flags", "dtype", "autocast", "used"),
    [
        ({}, torch.float32, False, True),
        ({}, torch.float64, False, True),
        ({"alone_filter": "binary"}, torch.float32, False, True),
        ({"alone_freeze_base": True}, torch.float32, False, True),
        ({}, torch.float32, True, False),
        ({}, torch.bfloat16, False, False),
        ({"alone_num_layers": 3}, torch.float32, False, False),
        ({"alone_keep_inner": True}, torch.float32, False, False),
    ],
)
@pytest.mark.parametrize("grad", [True, False], ids=["training", "evaluation"])
def test_where_they_are_used(
    flags: dict[str, Any],
    dtype: torch.dtype,
    autocast: bool,
    used: bool,
    grad: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[Tensor] = []

    def counted(*args: Any) -> Tensor:
        calls.append(tiles.two_layers_in_tiles(*args))
        return calls[-1]

    monkeypatch.setattr(network, "two_layers_in_tiles", counted)
    embedding = make(alone_codebook_size=16, alone_base_dim=80, **flags).to(dtype)
    cast = torch.autocast("cpu", torch.bfloat16) if autocast else nullcontext()
    with torch.set_grad_enabled(grad), cast:
        table = embedding.table()
    assert len(calls) == used
    assert table.requires_grad == grad
    rows = embedding.rows(torch.arange(300))
    tolerance = 0.05 if autocast or dtype == torch.bfloat16 else 1e-5
    torch.testing.assert_close(
        table.to(dtype), rows, rtol=tolerance, atol=0.1 * tolerance
    )
    if grad and used:
        trained = [p for p in embedding.parameters() if p.requires_grad]
        expanded = torch.ones(16, 1, dtype=dtype)
        for weights in (expanded, torch.randn(16, 300, dtype=dtype)):
            mine, expected = (
                torch.autograd.grad((t.t() * weights).sum(), trained, retain_graph=True)
                for t in (table, rows)
            )
            torch.testing.assert_close(mine, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ["real", "binary"])
def test_the_way_back_may_begin_under_autocast(kind: str) -> None:
    embedding = make(alone_filter=kind, alone_codebook_size=16, alone_base_dim=80)
    parameters = list(embedding.parameters())
    table = embedding.table()
    expected = torch.autograd.grad(table.sum(), parameters, retain_graph=True)
    with torch.autocast("cpu", torch.bfloat16):
        found = torch.autograd.grad(table.sum(), parameters)
    # What comes before the tiles, the first layer's product, autocast does round.
    for gradient, exact in zip(found, expected, strict=True):
        assert (gradient - exact).norm() < 0.02 * exact.norm()
