"""ALONE's sizes, start-up statistics, dropout, and the options that it refuses."""

import math
from typing import Any

import pytest
import torch

from alone_fairseq.embeddings.alone_options import AloneConfig
from alone_fairseq.errors import AloneError, explain
from tests.embeddings.alone_models import make


@pytest.mark.parametrize(
    ("inter_dim", "values"),
    [(4096, 4_194_816), (8192, 8_389_120), (512, 524_800), (1024, 1_049_088)],
)
def test_published_sizes(inter_dim: int, values: int) -> None:
    with torch.device("meta"):
        embedding = make(32768, 512, alone_inter_dim=inter_dim)
    assert embedding.footprint().trained_values == values


# Reference: the published code at V = 8000, D = 512, p_o = 0.5, M = 8, c = 64.
# Standard deviation of the entries, norm of a vector, cosine between two words.
PUBLISHED_START = [
    ("binary", 4096, 0.198, 4.48, 0.59),
    ("binary", 8192, 0.149, 3.38, 0.62),
    ("binary", 512, 0.343, 7.76, 0.61),
    ("binary", 1024, 0.320, 7.23, 0.61),
    ("real", 4096, 0.034, 0.77, 0.31),
    ("real", 8192, 0.0215, 0.49, 0.33),
    ("real", 512, 0.086, 1.95, 0.32),
    ("real", 1024, 0.074, 1.66, 0.34),
]


@pytest.mark.parametrize(
    ("kind", "inter_dim", "std", "norm", "cosine"),
    [
        pytest.param(*row, marks=pytest.mark.slow if row[1] > 1024 else ())
        for row in PUBLISHED_START
    ],
)
def test_published_start(
    kind: str, inter_dim: int, std: float, norm: float, cosine: float
) -> None:
    # A single draw of o scatters by about 6 %, so draws are averaged.
    stds, norms, cosines = [], [], []
    words = torch.arange(300)
    for seed in range(8):
        embedding = make(
            300, 512, alone_filter=kind, alone_inter_dim=inter_dim, alone_seed=seed
        )
        torch.manual_seed(seed)
        embedding.reset_parameters()
        with torch.no_grad():
            table = embedding.rows(words)
        stds.append(table.std().item())
        norms.append(table.norm(dim=1).mean().item())
        directions = torch.nn.functional.normalize(table, dim=1)
        alike = directions @ directions.T
        cosines.append((alike.sum().item() - 300) / (300 * 299))
    assert sum(stds) / 8 == pytest.approx(std, rel=0.07)
    assert sum(norms) / 8 == pytest.approx(norm, rel=0.07)
    assert sum(cosines) / 8 == pytest.approx(cosine, abs=0.04)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "exponent"), [("binary", -0.05), ("real", -0.3)])
def test_deviation_of_the_base_vector(kind: str, exponent: float) -> None:
    embedding = make(2, 40_000, alone_filter=kind, alone_inter_dim=1)
    expected = 40_001**exponent
    assert embedding.base.std().item() == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("kind", ["binary", "real"])
@pytest.mark.parametrize("num_layers", [1, 2, 3])
def test_initial_scale_of_lookup(kind: str, num_layers: int) -> None:
    options: dict[str, Any] = {"alone_filter": kind, "alone_num_layers": num_layers}
    published, scaled = (
        make(900, 64, seed=3, **options, alone_initial_scale=scale)
        for scale in ("published", "lookup")
    )
    with torch.no_grad():
        size = scaled.rows(torch.arange(900)).square().mean().sqrt().item()
    assert size == pytest.approx(64**-0.5, rel=1e-4)
    torch.testing.assert_close(
        scaled.base / scaled.base[0], published.base / published.base[0]
    )
    for ours, theirs in zip(scaled.layers, published.layers, strict=True):
        assert torch.equal(ours.weight, theirs.weight)


def test_initial_scale_where_no_word_gets_through_the_relu() -> None:
    dead = 0
    for seed in range(100):
        tiny = {"alone_inter_dim": 1, "alone_initial_scale": "lookup"}
        embedding = make(3, 8, seed=seed, **tiny)
        assert embedding.base.isfinite().all()
        dead += not embedding.rows(torch.arange(3)).any()
    assert dead > 0


def test_layers_start_xavier_uniform() -> None:
    first, second = make(2, 200, alone_inter_dim=400).layers.parameters()
    limit = math.sqrt(6 / 600)
    for matrix in (first, second):
        assert matrix.abs().max().item() == pytest.approx(limit, rel=0.01)
        assert matrix.std().item() == pytest.approx(limit / math.sqrt(3), rel=0.02)


def test_dropout_acts_on_input_look_ups_only() -> None:
    embedding = make(alone_relu_dropout=0.5).train()
    same_word = torch.full((2000,), 5)
    vectors = embedding(same_word)
    assert not torch.equal(vectors[0], vectors[1])
    torch.testing.assert_close(
        vectors.mean(dim=0), embedding.rows(same_word[:1])[0], atol=0.1, rtol=0.1
    )
    assert torch.equal(embedding.table(), embedding.table())
    hidden = torch.randn(3, 16)
    assert torch.equal(embedding.tied_logits(hidden), embedding.tied_logits(hidden))
    torch.testing.assert_close(embedding.eval()(same_word), embedding.rows(same_word))


def test_dropout_zeroes_the_stated_share() -> None:
    embedding = make(dim=400, alone_relu_dropout=0.3, alone_inter_dim=400).train()
    with torch.no_grad():
        embedding.layers[1].weight.copy_(torch.eye(400))
    plain, dropped = (
        embedding.rows(torch.arange(2, 300)),
        embedding(torch.arange(2, 300)),
    )
    positive = plain > 1e-6
    zeroed = (dropped[positive] == 0).float().mean().item()
    assert zeroed == pytest.approx(0.3, abs=0.01)
    kept = positive & (dropped != 0)
    torch.testing.assert_close(dropped[kept], plain[kept] / 0.7)


def test_dropout_stops_after_the_given_updates() -> None:
    embedding = make(alone_relu_dropout=0.5, alone_relu_dropout_updates=10).train()
    tokens = torch.tensor([3, 4])
    for done, random in [(0, True), (9, True), (10, False), (11, False)]:
        embedding.set_num_updates(done)
        assert torch.equal(embedding(tokens), embedding.rows(tokens)) is not random


def test_dropout_never_stops_by_default() -> None:
    embedding = make(alone_relu_dropout=0.5).train()
    embedding.set_num_updates(10**9)
    tokens = torch.tensor([3, 4])
    assert not torch.equal(embedding(tokens), embedding.rows(tokens))


def test_retained_dropout_acts_in_generation() -> None:
    embedding = make(alone_relu_dropout=0.5).eval()
    embedding.relu_dropout.make_generation_fast_("x", retain_dropout=True)
    tokens = torch.tensor([3, 4])
    with torch.no_grad():
        embedding.tied_logits(torch.randn(1, 16))
        assert not torch.equal(embedding(tokens), embedding(tokens))


def test_frozen_base_is_not_trained_but_stored() -> None:
    embedding = make(alone_freeze_base=True)
    trained = [name for name, p in embedding.named_parameters() if p.requires_grad]
    assert trained == ["layers.0.weight", "layers.1.weight"]
    assert "base" in embedding.state_dict()
    assert embedding.footprint().trained_values == 2 * 16 * 24


def test_other_filters_are_refused_by_name() -> None:
    state = make().state_dict()
    changes: list[dict[str, Any]] = [
        {"alone_seed": 2},
        {"alone_num_codebooks": 4},
        {"alone_codebook_size": 32},
        {"alone_filter_std": 2.0},
        {"alone_filter": "binary"},
        {"alone_base_dim": 8},
    ]
    for change in changes:
        value = next(iter(change.values()))
        with pytest.raises(AloneError, match=f"has .*; the model has .*{value}"):
            make(**change).load_state_dict(state)


def test_other_zero_probability_is_refused() -> None:
    state = make(alone_filter="binary").state_dict()
    with pytest.raises(
        AloneError, match=r"zero-prob=0\.5; the model has --alone-zero-prob=0\.25"
    ):
        make(alone_filter="binary", alone_zero_prob=0.25).load_state_dict(state)


@pytest.mark.parametrize(
    ("filters", "other", "option"),
    [("binary", "real", "alone_filter_std"), ("real", "binary", "alone_zero_prob")],
)
def test_an_option_of_the_other_filters_is_refused(
    filters: str, other: str, option: str
) -> None:
    """It would do nothing: who gives it has forgotten --alone-filter."""
    flag = "--" + option.replace("_", "-")
    with pytest.raises(AloneError, match=f"{flag} is of {other} .* --alone-filter"):
        make(alone_filter=filters, **{option: 0.3})
    default = getattr(AloneConfig, option)
    assert make(alone_filter=filters, **{option: default}).table().isfinite().all()


def test_another_vocabulary_is_refused() -> None:
    with pytest.raises(
        AloneError, match="vocabulary=300; the model has vocabulary=301"
    ):
        make(301).load_state_dict(make(300).state_dict())


def test_a_stock_checkpoint_is_refused() -> None:
    with pytest.raises(RuntimeError) as caught:
        make().load_state_dict({"weight": torch.zeros(300, 16)})
    assert "another model" in str(explain(caught.value))


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("alone_filter", "gaussian"),
        ("alone_inter_dim", 0),
        ("alone_inter_dim", -5),
        ("alone_num_layers", 0),
        ("alone_num_codebooks", 0),
        ("alone_codebook_size", -1),
        ("alone_base_dim", -1),
        ("alone_zero_prob", 0.0),
        ("alone_zero_prob", 1.0),
        ("alone_zero_prob", float("nan")),
        ("alone_filter_std", 0.0),
        ("alone_filter_std", float("nan")),
        ("alone_filter_std", 1e39),
        ("alone_relu_dropout", 1.0),
        ("alone_relu_dropout", -0.1),
        ("alone_relu_dropout_updates", -1),
        ("alone_seed", -1),
        ("alone_seed", 2**32),
        ("alone_initial_scale", "unit"),
    ],
)
def test_options_out_of_range(option: str, value: Any) -> None:
    flag = "--" + option.replace("_", "-")
    with pytest.raises(AloneError, match=flag):
        make(**{option: value})


def test_one_layer_has_no_inner_size() -> None:
    options = {"alone_num_layers": 1, "alone_filter": "real"}
    tables = []
    for inter_dim in (10, 4096):
        torch.manual_seed(1)
        tables.append(make(alone_inter_dim=inter_dim, **options).table())
    torch.testing.assert_close(*tables)
