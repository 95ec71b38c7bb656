"""Hash embeddings: their formula, collisions, and constants that survive reload."""

from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.random import RandomState
from torch import Tensor

from alone_experiments.params import method_footprint
from alone_fairseq.embeddings import TableSize
from alone_fairseq.embeddings.hash_functions import PRIME, HashFunctions
from alone_fairseq.embeddings.hashed import HashedEmbedding
from alone_fairseq.errors import AloneError

V, D, PAD = 61, 10, 1


def make(**options: Any) -> HashedEmbedding:
    torch.manual_seed(0)
    given = {"buckets": 13, **options}
    return HashedEmbedding(V, D, PAD, **{f"hashed_{k}": v for k, v in given.items()})


def polynomials(seed: int, count: int, degree: int, word: int) -> list[int]:
    """Values of the hash functions of a word, in Python's own integers."""
    drawn = RandomState([seed, 2]).randint(
        1, PRIME, (count, degree + 1), dtype=np.uint32
    )
    return [
        sum(int(c) * word ** (degree - i) for i, c in enumerate(row)) % PRIME
        for row in drawn
    ]


def dense(embedding: HashedEmbedding, rows: int) -> Tensor:
    """The same table word by word, in double precision."""
    pool, weights = embedding.pool.double(), embedding.importance.double()
    buckets, hashes = pool.size(0), weights.size(1)
    found = []
    for word in range(V):
        first, *others = polynomials(1, 1 + hashes, 3, word)
        own = weights[first % rows if rows else word]
        summed = sum(p * pool[value % buckets] for p, value in zip(own, others))  # noqa: B905
        found.append(torch.cat([summed, own]) if embedding.appends else summed)
    return torch.stack(found)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"num_hashes": 3, "weight_rows": 7},
        {"num_hashes": 4, "append_weights": True},
    ],
)
def test_values_and_gradients_are_those_of_the_formula(options: dict[str, Any]) -> None:
    embedding = make(**options)
    hidden, read = torch.randn(7, D), torch.randn(7, D)
    tokens = torch.randint(2, V, (7,))
    score = torch.randn(7, V)
    table = dense(embedding, options.get("weight_rows", 0))
    torch.testing.assert_close(embedding.table().double(), table, atol=1e-6, rtol=1e-5)
    mine = (embedding(tokens) * read).sum() + (
        embedding.tied_logits(hidden) * score
    ).sum()
    plain = (table[tokens] * read).sum() + (hidden.double() @ table.T * score).sum()
    trained = list(embedding.parameters())
    slopes = [torch.autograd.grad(loss, trained) for loss in (mine, plain)]
    torch.testing.assert_close(*slopes, atol=1e-4, rtol=1e-4)


def test_half_as_many_weights_are_shared_by_words() -> None:
    embedding = make(weight_rows=20, num_hashes=1)
    rows = embedding.hashes(torch.arange(V))[:, 0] % 20
    assert len({*rows.tolist()}) > 10


@pytest.mark.parametrize(
    ("buckets", "hashes", "degree"), [(500, 1, 3), (40, 2, 3), (500, 1, 1), (40, 2, 1)]
)
def test_collisions_are_as_many_as_predicted(
    buckets: int, hashes: int, degree: int
) -> None:
    """Two of N words share all their buckets with probability B^-k.

    Hash embeddings have functions of degree 3, deep hash embeddings of degree 1.
    """
    words, seeds = 2000, 30
    expected = words * (words - 1) / 2 * buckets**-hashes
    found = []
    for seed in range(seeds):
        values = HashFunctions(seed, hashes, degree)(torch.arange(words)) % buckets
        places = (values * buckets ** torch.arange(hashes)).sum(1)
        counts = torch.bincount(places).double()
        found.append(float((counts * (counts - 1) / 2).sum()))
    if degree == 1:
        # Pairs collide as often; but not each for itself, so that seeds differ more.
        error = np.std(found) / seeds**0.5
        assert np.mean(found) == pytest.approx(expected, abs=4 * error)
        return
    # As if buckets were drawn: the number is nearly a Poisson one.
    assert np.mean(found) == pytest.approx(expected, rel=4 / (seeds * expected) ** 0.5)
    assert 0.5 < np.std(found) / expected**0.5 < 1.6


def test_functions_are_independent_and_even() -> None:
    values = HashFunctions(3, 2, 3)(torch.arange(20_000)) / PRIME
    assert values.mean(0).tolist() == pytest.approx([0.5, 0.5], abs=0.01)
    assert float(torch.corrcoef(values.T)[0, 1]) == pytest.approx(0, abs=0.03)


def test_constants_follow_from_the_seed_for_good() -> None:
    # Frozen: old checkpoints depend on it.
    assert HashFunctions(1, 3, 3).checksum == "07976299e7f0ed9d"
    more, fewer = (HashFunctions(1, count, 3) for count in (5, 3))
    assert torch.equal(more.coefficients[:, :3], fewer.coefficients)


def test_a_reload_gives_the_same_vectors(tmp_path: Path) -> None:
    """Whatever the global generators were used for before, unlike in public code."""
    embedding = make()
    torch.save(embedding.state_dict(), tmp_path / "a.pt")
    np.random.seed(5)
    torch.manual_seed(77)
    again = HashedEmbedding(V, D, PAD, hashed_buckets=13)
    assert not torch.equal(again.table(), embedding.table())
    again.load_state_dict(torch.load(tmp_path / "a.pt"))
    assert torch.equal(again.table(), embedding.table())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seed": 2}, "--hashed-seed=1; the model has --hashed-seed=2"),
        ({"buckets": 14}, "--hashed-buckets=13"),
        ({"num_hashes": 3}, "--hashed-num-hashes=2"),
        ({"weight_rows": V}, "--hashed-weight-rows=0"),
        ({"append_weights": True}, "no --hashed-append-weights"),
    ],
)
def test_other_constants_and_sizes_are_refused(
    changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(AloneError, match=words):
        make(**changes).load_state_dict(make().state_dict())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("buckets", 0),
        ("num_hashes", -1),
        ("num_hashes", 2**16),
        ("weight_rows", -1),
        ("seed", 2**32),
    ],
)
def test_options_out_of_range(name: str, value: int) -> None:
    with pytest.raises(AloneError, match=f"--hashed-{name.replace('_', '-')} must"):
        make(**{name: value})


def test_appended_weights_must_leave_room_for_the_sum() -> None:
    with pytest.raises(AloneError, match="leaves nothing of the 10 values"):
        make(append_weights=True, num_hashes=D)


def test_size_of_the_published_example() -> None:
    options = Namespace(hashed_buckets=4096)
    size = method_footprint("hashed", options, [TableSize(37_000, 512)])
    assert size.trained_values == size.stored_values == 2_171_152
    assert size.stored_bytes < 4 * 2_171_152 + 1000


def test_memory_of_the_table_is_bounded() -> None:
    embedding = HashedEmbedding(20_000, 32, hashed_buckets=50)
    kept: list[int] = []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: kept.append(t.numel()) or t, lambda t: t
    ):
        embedding.table()
    assert max(kept) <= 20_000 * 3  # hash values and weights, no vectors
