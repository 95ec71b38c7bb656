"""ALONE against a dense formulation of the paper, on every way to its table."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from alone_fairseq.embeddings.alone import AloneEmbedding
from alone_fairseq.embeddings.filter_layer import codebook_images, filter_layer
from tests.embeddings.alone_models import make


def dense_filters(embedding: AloneEmbedding) -> Tensor:
    """The V x D_o filters, word by word and codebook by codebook."""
    filters = embedding.filters
    num_codebooks = filters.codes.size(1)
    books = filters.codebooks.view(num_codebooks, -1, filters.codebooks.size(1))
    rows = []
    for word in range(embedding.num_embeddings):
        picked = [books[j][int(filters.codes[word, j])] for j in range(num_codebooks)]
        if filters.binary:
            rows.append(torch.stack(picked).bool().any(dim=0).float())
        else:
            rows.append(torch.stack(picked).double().sum(dim=0).float())
    return torch.stack(rows)


def dense_table(embedding: AloneEmbedding) -> Tensor:
    """Formula (1) and (3) of the paper on explicit filters."""
    values = dense_filters(embedding) * embedding.base.unsqueeze(0)
    matrices = list(embedding.layers.parameters())
    for matrix in matrices[:-1]:
        values = torch.clamp(torch.matmul(values, matrix.t()), min=0.0)
    return torch.matmul(values, matrices[-1].t())


@pytest.mark.parametrize("kind", ["binary", "real"])
@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("base_dim", [0, 11, 80])
@pytest.mark.parametrize("books", ["more words than codebook rows", "fewer"])
@pytest.mark.parametrize("keep", [False, True], ids=["recomputed", "kept"])
def test_dense_formulation_agrees(
    kind: str,
    layers: int,
    base_dim: int,
    books: str,
    keep: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("alone_fairseq.embeddings.tables.slices.VALUES_AT_A_TIME", 2000)
    monkeypatch.setattr("alone_fairseq.embeddings.tables.tiles.WORDS_OF_TILE", 70)
    monkeypatch.setattr("alone_fairseq.embeddings.tables.tiles.INNER_OF_TILE", 10)
    monkeypatch.setattr("alone_fairseq.embeddings.tables.network.KEPT_BYTES", 0)
    embedding = make(
        alone_filter=kind,
        alone_num_layers=layers,
        alone_base_dim=base_dim,
        alone_codebook_size=64 if books == "fewer" else 16,
        alone_keep_inner=keep,
    )
    torch.testing.assert_close(
        embedding.table(), dense_table(embedding), atol=1e-5, rtol=1e-5
    )
    weights = torch.randn(300, 16)
    parameters = list(embedding.parameters())
    mine, dense = (
        torch.autograd.grad((table * weights).sum(), parameters)
        for table in (embedding.table(), dense_table(embedding))
    )
    for gradient, expected in zip(mine, dense, strict=True):
        error = (gradient - expected).norm() / expected.norm()
        assert error < 1e-5


def test_first_layer_commutes_with_the_sum_of_real_filters() -> None:
    embedding = make(alone_codebook_size=16, alone_base_dim=80)
    words = torch.arange(300)
    matrix = embedding.first_matrix()
    filters = embedding.filters
    images = codebook_images(filters, matrix, 300)
    assert images is not None
    assert images.shape == (8 * 16, 24)
    torch.testing.assert_close(
        filter_layer(filters, matrix, 300)(words), filters(words) @ matrix.T
    )
    assert codebook_images(filters, matrix, 8 * 16) is None
    for other in (make(alone_base_dim=64), make(alone_filter="binary")):
        assert codebook_images(other.filters, other.first_matrix(), 10**6) is None


@pytest.mark.parametrize("kind", ["binary", "real"])
def test_overwritten_inner_values_are_no_view(kind: str) -> None:
    """Autograd copies a tensor of which a view was overwritten, twice in a step."""
    embedding = make(
        alone_filter=kind, alone_codebook_size=16, alone_base_dim=80, alone_num_layers=3
    )
    words = torch.arange(300)
    for vectors in (embedding.table(), embedding.rows(words.view(30, 10))):
        steps, nodes = [], [vectors.grad_fn]
        while nodes:
            node = nodes.pop()
            if node is not None:
                steps.append(node.name())
                nodes += [source for source, _ in node.next_functions]
        assert any("ReluBackward" in step for step in steps)
        assert "CopySlices" not in " ".join(steps)


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(
    ("flag", "spare", "kept"),
    [(False, 0, True), (False, -1, False), (True, -1, True)],
    ids=["fits", "a byte too many", "a byte too many, but told to"],
)
def test_inner_values_are_computed_again_where_they_are_many(
    layers: int,
    dtype: torch.dtype,
    flag: bool,
    spare: int,
    kept: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Filters and inner values count: V (D_o + (layers - 1) H)."""
    embedding = make(
        2000,
        alone_filter="binary",
        alone_keep_inner=flag,
        alone_base_dim=11,
        alone_num_layers=layers,
    ).to(dtype)
    inner = 2000 * (11 + (layers - 1) * embedding.config.alone_inter_dim)
    fitting = inner * dtype.itemsize + spare
    monkeypatch.setattr("alone_fairseq.embeddings.tables.network.KEPT_BYTES", fitting)
    sizes: list[int] = []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: sizes.append(t.numel()) or t, lambda t: t
    ):
        embedding.table()
    assert (sum(sizes) >= inner) == kept


@pytest.mark.parametrize(("spare", "kept"), [(0, True), (-1, False)])
def test_filters_that_are_not_made_do_not_count(
    spare: int, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where codebook rows go through W1, a word's input is its M = 8 codes."""
    embedding = make(2000, alone_codebook_size=16, alone_base_dim=80)
    matrix = embedding.first_matrix()
    assert codebook_images(embedding.filters, matrix, 2000) is not None
    inner = 2000 * embedding.config.alone_inter_dim
    fitting = 4 * (inner + 2000 * 8) + spare
    monkeypatch.setattr("alone_fairseq.embeddings.tables.network.KEPT_BYTES", fitting)
    sizes: list[int] = []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: sizes.append(t.numel()) or t, lambda t: t
    ):
        embedding.table()
    assert (sum(sizes) >= inner) == kept


@pytest.mark.parametrize("keep", [True, False], ids=["kept", "computed again"])
def test_no_gradient_is_computed_for_filters(
    keep: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forward two products of V rows, back three: W1's, W2's, the inner values'.

    Where inner values are computed again, the first product is done twice.
    """
    monkeypatch.setattr("alone_fairseq.embeddings.tables.network.KEPT_BYTES", 0)
    embedding = make(alone_filter="binary", alone_keep_inner=keep)

    def in_place(_total: Any, one: Any, other: Any, **_: Any) -> int:
        return 2 * one[0] * one[1] * other[1]

    mapping = {torch.ops.aten.addmm_: in_place}
    with FlopCounterMode(display=False, custom_mapping=mapping) as counter:
        embedding.table().sum().backward()
    inner, base, dim = embedding.config.alone_inter_dim, embedding.base.numel(), 16
    expected = 2 * 300 * inner * ((2 if keep else 3) * base + 3 * dim)
    assert counter.get_total_flops() == expected
