"""The random filters: frozen streams, distributions, independence."""

import hashlib
import subprocess
import sys

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from alone_fairseq.embeddings import random_codes
from alone_fairseq.embeddings.filters import RandomFilters
from alone_fairseq.embeddings.random_codes import (
    draw_binary_codebooks,
    draw_codes,
    draw_real_codebooks,
)

# SHA-256 of codes and codebooks, and of the filters made from them, at seed 1,
# V = 1000, M = 8, c = 64, D_o = 512. They may never change: old checkpoints would
# become worthless.
GOLDEN = {
    "binary": ("6322d69afa11d16f", "a4ef53bc9194a8ec"),
    "real": ("32ff4c6ca8bb2228", "2193fc3dd6dd74f1"),
}


def make(
    kind: str, vocabulary: int = 1000, dim: int = 512, seed: int = 1
) -> RandomFilters:
    codes = draw_codes(seed, vocabulary, 8, 64)
    if kind == "binary":
        return RandomFilters(
            codes, draw_binary_codebooks(seed, 8, 64, dim, 0.5), 0.5, 0.5
        )
    return RandomFilters(codes, draw_real_codebooks(seed, 8, 64, dim, 1.0), 0.0, 1.0)


@pytest.mark.parametrize("kind", GOLDEN)
def test_golden_checksums(kind: str) -> None:
    filters = make(kind)
    made = filters(torch.arange(1000)).numpy().tobytes()
    assert (filters.checksum(), hashlib.sha256(made).hexdigest()[:16]) == GOLDEN[kind]


@pytest.mark.parametrize("kind", GOLDEN)
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_change_nothing(kind: str, threads: int) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        test_golden_checksums(kind)
    finally:
        torch.set_num_threads(before)


@pytest.mark.slow
def test_another_process_draws_the_same() -> None:
    program = (
        "import torch; torch.manual_seed(77); torch.rand(5);"
        "from alone_fairseq.embeddings.filters import RandomFilters;"
        "from alone_fairseq.embeddings.random_codes import *;"
        "print(RandomFilters(draw_codes(1, 1000, 8, 64),"
        " draw_real_codebooks(1, 8, 64, 512, 1.0), 0.0, 1.0).checksum())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True
    )
    assert done.stdout.split()[-1] == GOLDEN["real"][0], done.stderr


@given(
    small=st.integers(1, 300),
    more=st.integers(1, 300),
    codebooks=st.integers(1, 9),
    size=st.integers(1, 70_000),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=50, deadline=None)
def test_a_larger_vocabulary_keeps_the_codes(
    small: int, more: int, codebooks: int, size: int, seed: int
) -> None:
    codes = draw_codes(seed, small, codebooks, size)
    larger = draw_codes(seed, small + more, codebooks, size)
    assert torch.equal(codes, larger[:small])
    assert codes.dtype == larger.dtype
    assert int(codes.min()) >= 0
    assert int(codes.max()) < size


def test_codes_are_uniform_and_independent() -> None:
    codes = draw_codes(4, 64_000, 8, 64).long()
    for column in codes.T:
        counts = torch.bincount(column, minlength=64).double()
        chi_square = ((counts - 1000) ** 2 / 1000).sum().item()
        assert 30 < chi_square < 110  # 63 degrees of freedom
    pairs = torch.bincount(codes[:, 0] * 64 + codes[:, 1], minlength=4096)
    assert pairs.max() < 45  # 15.6 on average


@pytest.mark.parametrize(
    ("size", "kind"),
    [
        (256, torch.uint8),
        (257, torch.int32),
        (40_000, torch.int32),
    ],
)
def test_codes_are_small_integers(size: int, kind: torch.dtype) -> None:
    codes = draw_codes(1, 5000, 2, size)
    assert codes.dtype == kind
    assert codes.long().max() < size


@pytest.mark.parametrize("zero_prob", [0.1, 0.5, 0.9])
def test_binary_filters_are_zero_with_the_stated_probability(zero_prob: float) -> None:
    codes = draw_codes(1, 4000, 8, 64)
    rows = draw_binary_codebooks(1, 8, 64, 300, zero_prob)
    filters = RandomFilters(codes, rows, 0.0, 1.0)(torch.arange(4000))
    assert set(filters.unique().tolist()) == {0.0, 1.0}
    assert 1 - filters.mean().item() == pytest.approx(zero_prob, abs=0.02)


@pytest.mark.parametrize("std", [0.5, 1.0])
@pytest.mark.parametrize("codebooks", [1, 8])
def test_real_filters_have_the_stated_deviation(std: float, codebooks: int) -> None:
    codes = draw_codes(1, 4000, codebooks, 64)
    rows = draw_real_codebooks(1, codebooks, 64, 300, std)
    filters = RandomFilters(codes, rows, 0.0, 1.0)(torch.arange(4000))
    assert filters.std().item() == pytest.approx(std, rel=0.03)
    assert filters.mean().item() == pytest.approx(0.0, abs=0.02)


def test_seeds_differ_and_streams_are_independent() -> None:
    assert make("real", seed=1).checksum() != make("real", seed=2).checksum()
    codes = draw_codes(1, 64, 8, 64)
    assert torch.equal(codes, make("binary", 64).codes)
    assert torch.equal(codes, make("real", 64).codes)


@pytest.mark.parametrize("kind", GOLDEN)
def test_casts_leave_the_filters_exact(kind: str) -> None:
    filters = make(kind, 50)
    exact = filters(torch.arange(50))
    checksum = filters.checksum()
    for cast in (torch.float16, torch.bfloat16, torch.float64, torch.float32):
        filters.to(cast)
        assert torch.equal(filters(torch.arange(50)), exact)
    assert filters.half().float().checksum() == checksum


def test_nothing_of_the_vocabulary_size_times_the_dimension_is_kept() -> None:
    filters = make("real", vocabulary=20_000)
    resident = sum(b.numel() * b.element_size() for b in filters.buffers())
    assert resident == 20_000 * 8 + 8 * 64 * 512 * 4 + 8 * 8
    assert not filters.state_dict()


def test_words_are_drawn_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many are drawn at a time."""
    whole = random_codes.draw_codes(3, 100, 8, 300)
    monkeypatch.setattr(random_codes, "WORDS_AT_A_TIME", 7)
    assert torch.equal(random_codes.draw_codes(3, 100, 8, 300), whole)
    assert torch.equal(random_codes.draw_codes(3, 40, 8, 300), whole[:40])
