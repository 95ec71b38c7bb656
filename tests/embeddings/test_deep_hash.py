"""Deep hash embeddings: their formula, their hash values, what a reload needs."""

from typing import Any

import numpy as np
import pytest
import torch
from numpy.random import RandomState
from torch import Tensor

from alone_fairseq.embeddings.deep_hash import DeepHashEmbedding
from alone_fairseq.embeddings.hash_functions import PRIME
from alone_fairseq.embeddings.tables import slices
from alone_fairseq.errors import AloneError

V, D, PAD = 31, 8, 1
SMALL = {"num_hashes": 20, "inter_dim": 12, "buckets": 1000}


def make(**options: Any) -> DeepHashEmbedding:
    torch.manual_seed(0)
    given = {f"deep_hash_{k}": v for k, v in {**SMALL, **options}.items()}
    return DeepHashEmbedding(V, D, PAD, **given)


def read(seed: int, count: int, buckets: int) -> Tensor:
    """What the network reads, in Python's own integers."""
    drawn = RandomState([seed, 2]).randint(1, PRIME, (count, 2), dtype=np.uint32)
    rows = [
        [(int(a) * word + int(b)) % PRIME % buckets for a, b in drawn]
        for word in range(V)
    ]
    return 2 * torch.tensor(rows).double() / (buckets - 1) - 1


def dense(embedding: DeepHashEmbedding) -> Tensor:
    """The table by its formula, in double precision."""
    config = embedding.config
    values = read(1, config.deep_hash_num_hashes, config.deep_hash_buckets)
    for layer in embedding.hidden:
        values = values @ layer[0].weight.double().T + layer[0].bias.double()  # type: ignore[index]
        if config.deep_hash_normalisation == "layer":
            away = values - values.mean(1, keepdim=True)
            values = away / (away.square().mean(1, keepdim=True) + 1e-5).sqrt()
            values = values * layer[1].weight.double() + layer[1].bias.double()  # type: ignore[index]
        if config.deep_hash_activation == "mish":
            values = values * torch.tanh(torch.log1p(values.exp()))
        else:
            values = values.clamp(min=0)
    return values @ embedding.last.weight.double().T + embedding.last.bias.double()


@pytest.mark.parametrize("activation", ["mish", "relu"])
@pytest.mark.parametrize("normalisation", ["layer", "none"])
@pytest.mark.parametrize("layers", [1, 3])
def test_values_and_gradients_are_those_of_the_formula(
    activation: str, normalisation: str, layers: int
) -> None:
    embedding = make(
        activation=activation, normalisation=normalisation, num_layers=layers
    )
    trained = [*embedding.parameters()]
    with torch.no_grad():  # gains and biases start where they change nothing
        for parameter in trained:
            if parameter.dim() == 1:
                parameter += torch.randn_like(parameter)
    weights = torch.randn(V, D)
    table, mine = dense(embedding), embedding.table()
    torch.testing.assert_close(mine.double(), table, atol=1e-5, rtol=1e-4)
    slopes = [torch.autograd.grad((t * weights).sum(), trained) for t in (mine, table)]
    torch.testing.assert_close(*slopes, atol=1e-4, rtol=1e-3)


def test_hash_values_are_spread_evenly() -> None:
    embedding = make(num_hashes=200)
    values = embedding.hash_values(torch.arange(1000))
    assert values.mean().item() == pytest.approx(0, abs=0.02)
    assert values.std().item() == pytest.approx(3**-0.5, rel=0.02)
    assert values.abs().max() <= 1


def test_hash_values_never_change() -> None:
    # Like the filters' checksums: old checkpoints depend on them.
    assert make().hashes.checksum == "57be91d546e8f30b"


def test_the_number_of_values_does_not_depend_on_the_vocabulary() -> None:
    with torch.device("meta"):
        few, many = (DeepHashEmbedding(v, 512).footprint() for v in (100, 4_000_000))
    sizes = 1024 * 1024 * 2 + 1024 * 512 + 3 * 2 * 1024 + 512
    assert few.trained_values == many.trained_values == sizes


def test_memory_of_the_table_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    embedding = make()
    monkeypatch.setattr(slices, "VALUES_AT_A_TIME", 1000)
    largest: list[int] = []
    hash_values = embedding.hash_values
    monkeypatch.setattr(
        embedding,
        "hash_values",
        lambda words: largest.append(len(words)) or hash_values(words),
    )
    table = embedding.table()
    assert max(largest) * embedding.widest <= 1000
    torch.testing.assert_close(table, embedding.rows(torch.arange(V)))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seed": 2}, "--deep-hash-seed=1; the model has --deep-hash-seed=2"),
        ({"num_hashes": 21}, "--deep-hash-num-hashes=20"),
        ({"num_layers": 1}, "--deep-hash-num-layers=2"),
        ({"inter_dim": 13}, "--deep-hash-inter-dim=12"),
        ({"buckets": 999}, "--deep-hash-buckets=1000"),
        ({"activation": "relu"}, "--deep-hash-activation=mish"),
        ({"normalisation": "none"}, "--deep-hash-normalisation=layer"),
    ],
)
def test_other_options_are_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(AloneError, match=words):
        make(**changes).load_state_dict(make().state_dict())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("num_hashes", 0),
        ("num_hashes", 10**8),
        ("buckets", 1),
        ("inter_dim", 0),
        ("activation", "tanh"),
    ],
)
def test_options_out_of_range(name: str, value: object) -> None:
    with pytest.raises(AloneError, match=f"--deep-hash-{name.replace('_', '-')} must"):
        make(**{name: value})
