"""Centred features: the closed form, and every way to a vector."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from alone_fairseq.embeddings.alone import AloneEmbedding
from alone_fairseq.embeddings.relu_mean import mean_of_relu
from alone_fairseq.errors import AloneError
from tests.embeddings.alone_models import make
from tests.embeddings.test_alone_formula import dense_filters


def dense_table(embedding: AloneEmbedding) -> Tensor:
    """W2 (relu(W1 (f * o)) - mean) word by word, the mean by a normal integral."""
    first, last = (matrix.double() for matrix in embedding.layers.parameters())
    base = embedding.base.double()
    values = torch.relu((dense_filters(embedding).double() * base) @ first.t())
    if embedding.filters.binary:
        zeros = embedding.config.alone_zero_prob
        mean, variance = 1 - zeros, zeros * (1 - zeros)
    else:
        mean, variance = 0.0, embedding.config.alone_filter_std**2
    centre = mean * (first * base).sum(1)
    spread = (variance * (first * base).square().sum(1)).sqrt()
    normal = torch.distributions.Normal(0.0, 1.0)
    density = normal.log_prob(centre / spread).exp()
    middle = centre * normal.cdf(centre / spread) + spread * density
    return (values - middle) @ last.t()


# Mean and variance of the defaults are those of other settings too.
OTHER_THAN_DEFAULT: dict[str, dict[str, Any]] = {
    "binary": {"alone_zero_prob": 0.3},
    "real": {"alone_filter_std": 2.0},
}


@pytest.mark.parametrize("kind", ["binary", "real"])
@pytest.mark.parametrize("way", ["kept", "slices", "tiles"])
def test_dense_formulation_agrees(
    kind: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("alone_fairseq.embeddings.tables.slices.VALUES_AT_A_TIME", 2000)
    monkeypatch.setattr("alone_fairseq.embeddings.tables.tiles.WORDS_OF_TILE", 70)
    monkeypatch.setattr("alone_fairseq.embeddings.tables.tiles.INNER_OF_TILE", 10)
    if way != "kept":
        monkeypatch.setattr("alone_fairseq.embeddings.tables.network.KEPT_BYTES", 0)
    if way == "slices":
        monkeypatch.setattr(
            "alone_fairseq.embeddings.tables.network._tiles_can_be_used",
            lambda _: False,
        )
    embedding = make(
        alone_filter=kind,
        alone_base_dim=80,
        alone_centre=True,
        **OTHER_THAN_DEFAULT[kind],
    )
    weights = torch.randn(300, 16)
    trained = list(embedding.parameters())
    expected, found = dense_table(embedding).float(), embedding.table()
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
    rows = embedding.rows(torch.arange(300))
    torch.testing.assert_close(rows, expected, atol=1e-5, rtol=1e-5)
    wanted = torch.autograd.grad((expected * weights).sum(), trained)
    for vectors in (found, rows):
        gradients = torch.autograd.grad((vectors * weights).sum(), trained)
        for gradient, exact in zip(gradients, wanted, strict=True):
            torch.testing.assert_close(gradient, exact, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", ["binary", "real"])
@pytest.mark.parametrize(
    ("dim", "zeros", "std", "slack"),
    [
        *((64, 0.5, 1.0, 0.01), (256, 0.3, 2.5, 0.01), (512, 0.9, 0.1, 0.01)),
        *((16, 0.5, 1.0, 0.05), (32, 0.9, 3.0, 0.15)),
    ],
)
def test_closed_form_is_the_sampled_mean(
    kind: str, dim: int, zeros: float, std: float, slack: float
) -> None:
    """To five standard errors.

    Sums of binary entries are normal only if they are many, and neither nearly all
    zeros nor ones; ``slack`` is what may be lacking, in deviations of the values.
    """
    generator = torch.Generator().manual_seed(3)
    matrix = torch.randn(20, dim, generator=generator)
    if kind == "binary":
        filters = torch.rand(40_000, dim, generator=generator).gt(zeros).float()
        closed = mean_of_relu(matrix, 1 - zeros, math.sqrt(zeros * (1 - zeros)))
    else:
        filters = std * torch.randn(40_000, dim, generator=generator)
        closed = mean_of_relu(matrix, 0.0, std)
    values = torch.relu(filters @ matrix.t())
    error = values.std(0) / math.sqrt(len(filters))
    allowed = 5 * error + (slack * values.std(0) if kind == "binary" else 0.0)
    assert ((values.mean(0) - closed).abs() <= allowed).all()


@pytest.mark.parametrize("kind", ["binary", "real"])
@pytest.mark.parametrize(("rows", "left"), [(64, 0.15), (1024, 0.05)])
def test_the_mean_of_the_filters_of_a_vocabulary(
    kind: str, rows: int, left: float
) -> None:
    """The mean is that over all seeds: fewer codebook rows leave more in common."""
    options: dict[str, Any] = {"alone_filter": kind, "alone_base_dim": 256}
    options["alone_codebook_size"] = rows
    tables = [
        make(4000, 16, **options, alone_centre=on).table() for on in (False, True)
    ]
    common = [(t.mean(0).norm() / t.norm(dim=1).mean()).item() for t in tables]
    assert common[0] > 0.45
    assert common[1] < left


@pytest.mark.parametrize("kind", ["binary", "real"])
def test_it_costs_one_vector_more_whatever_the_vocabulary(kind: str) -> None:
    """W2 times the mean, and the mean itself: nothing that grows with the words."""
    products = {}
    for words in (500, 4000):
        for on in (False, True):
            embedding = make(words, alone_filter=kind, alone_centre=on)
            with FlopCounterMode(display=False) as counter:
                embedding.table()
            products[words, on] = counter.get_total_flops()
    assert products[500, False] > 100 * 2 * embedding.layers[-1].weight.numel()
    for words in (500, 4000):
        more = products[words, True] - products[words, False]
        assert more == 2 * embedding.layers[-1].weight.numel()


def test_half_precision_is_close() -> None:
    matrix = 100 * torch.randn(8, 512, generator=torch.Generator().manual_seed(1))
    exact = mean_of_relu(matrix, 0.5, 0.5)
    half = mean_of_relu(matrix.half(), 0.5, 0.5)
    assert half.dtype == torch.float16
    torch.testing.assert_close(half.float(), exact, atol=1.0, rtol=0.01)


def test_a_row_of_zeros_has_a_gradient() -> None:
    matrix = torch.zeros(2, 4, requires_grad=True)
    mean_of_relu(matrix, 0.5, 0.5).sum().backward()
    assert matrix.grad is not None
    assert matrix.grad.isfinite().all()


def test_dropout_keeps_the_mean() -> None:
    embedding = make(alone_centre=True, alone_relu_dropout=0.5, alone_inter_dim=2000)
    tokens = torch.full((400,), 7)
    dropped = embedding.train()(tokens)
    exact = embedding.eval()(tokens[:1])[0]
    error = dropped.std(0) / math.sqrt(len(tokens))
    assert ((dropped.mean(0) - exact).abs() < 5 * error).all()
    assert dropped.std(0).min() > 0


@pytest.mark.parametrize("layers", [1, 3])
def test_other_numbers_of_layers_are_refused(layers: int) -> None:
    with pytest.raises(AloneError, match="set --alone-num-layers to 2, not"):
        make(alone_centre=True, alone_num_layers=layers)


@pytest.mark.parametrize("kind", ["binary", "real"])
@pytest.mark.parametrize("scale", ["lookup", "lookup_layer"])
def test_start_of_a_look_up_table(kind: str, scale: str) -> None:
    embedding = make(
        alone_filter=kind, alone_centre=True, alone_initial_scale=scale, dim=64
    )
    deviation = embedding.table().square().mean().sqrt().item()
    assert deviation == pytest.approx(64**-0.5, rel=0.01)


def test_a_checkpoint_without_it_is_refused() -> None:
    centred, plain = make(alone_centre=True), make()
    line = "has no --alone-centre; the model has --alone-centre:"
    with pytest.raises(AloneError, match=line):
        centred.load_state_dict(plain.state_dict())


@pytest.mark.parametrize("words", [0, 8, 1000])
def test_own_values_are_added_on_every_way(words: int) -> None:
    plain, own = make(), make(alone_own_dim=3, alone_own_words=words)
    assert own.own is not None
    # At the start they are zeros, and a word is what the network makes of it.
    for name, value in plain.named_parameters():
        own.get_parameter(name).data.copy_(value)
    assert torch.equal(own.table(), plain.table())
    with torch.no_grad():
        own.own.values.normal_()
    added = torch.zeros(300, 16)
    added[: words or 300] = own.own.values @ own.own.expansion
    expected = plain.table() + added
    tokens = torch.tensor([[5, 7], [7, 299]])
    torch.testing.assert_close(own.table(), expected)
    torch.testing.assert_close(own.rows(tokens), expected[tokens])
    torch.testing.assert_close(torch.jit.script(own.eval())(tokens), expected[tokens])
    own.table().sum().backward()
    assert own.own.values.grad is not None
    each = own.own.expansion.sum(1).expand_as(own.own.values)
    torch.testing.assert_close(own.own.values.grad, each)
    own.relu_dropout.p = 1e-6  # another way, with hardly a value dropped
    torch.testing.assert_close(own.train()(tokens), expected[tokens])


def test_own_values_are_no_part_of_the_network() -> None:
    names = make(alone_own_dim=3).network_matrices()
    assert set(names) == {"layers.0.weight", "layers.1.weight", "own.expansion"}
    size = make(alone_own_dim=3).footprint().trained_values
    assert size - make().footprint().trained_values == 3 * (300 + 16)
    few = make(alone_own_dim=3, alone_own_words=8).footprint().trained_values
    assert few - make().footprint().trained_values == 3 * (8 + 16)


def test_whose_values_they_are_is_checked() -> None:
    with pytest.raises(AloneError, match="there are none: add --alone-own-dim"):
        make(alone_own_words=8)
    few, every = make(alone_own_dim=3, alone_own_words=8), make(alone_own_dim=3)
    for one, other in ((few, every), (every, few)):
        with pytest.raises(AloneError, match="own-words"):
            one.load_state_dict(other.state_dict())
