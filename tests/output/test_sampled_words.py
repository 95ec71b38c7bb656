"""Samples of words: sizes, that they are uniform, and that they cost nothing of V."""

import contextlib
import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import RandomState

from alone_fairseq.errors import AloneError
from alone_fairseq.output.sampled_words import (
    draw_distinct,
    draw_negatives,
    sample_size,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [("25%", 25), ("100%", 100), ("12.5 %", 12), ("0.1%", 2), ("2", 2), ("100", 100)],
)
def test_sizes(text: str, size: int) -> None:
    assert sample_size(text, 100) == size


@settings(max_examples=30)
@given(st.one_of(st.text(max_size=8), st.floats().map(str), st.integers().map(str)))
def test_any_text_is_a_size_or_refused(text: str) -> None:
    for word in (text, f"{text}%"):
        with contextlib.suppress(AloneError):
            assert 2 <= sample_size(word, 100) <= 100


@pytest.mark.parametrize(
    "text", ["0", "-3", "1", "101", "0%", "-5%", "101%", "nan%", "inf%", "x", "2.5", ""]
)
def test_sizes_that_are_none(text: str) -> None:
    with pytest.raises(AloneError, match="--sampled-words must") as caught:
        sample_size(text, 100)
    assert "\n" not in str(caught.value)


@settings(max_examples=30)
@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 2**32 - 1))
def test_distinct_numbers_in_range(first: int, more: int, seed: int) -> None:
    found = draw_distinct(RandomState(seed), first, first + more)
    assert len({*found.tolist()}) == first
    assert all(0 <= number < first + more for number in found)


@pytest.mark.parametrize("size", [3, 5])
def test_every_set_of_negatives_comes_as_often(size: int) -> None:
    """By a chi-squared test with a bound that one seed in a million exceeds."""
    positives, vocabulary, draws = np.array([1, 4]), 7, 1000
    counts = Counter(
        tuple(sorted(draw_negatives(positives, size, vocabulary, [1, n])))
        for n in range(draws)
    )
    possible = [*itertools.combinations([0, 2, 3, 5, 6], size - 2)]
    assert {*counts} == {*possible}
    expected = draws / len(possible)
    squares = sum((counts[each] - expected) ** 2 / expected for each in possible)
    assert squares < len(possible) + 6 * (2 * len(possible)) ** 0.5


def test_many_words_cost_nothing() -> None:
    found = draw_negatives(np.array([5, 10**12]), 1000, 10**15, [1])
    assert len(np.unique(found)) == 998
    assert found.min() > 10**10  # not those of a smaller vocabulary


def test_more_positives_than_room() -> None:
    assert len(draw_negatives(np.arange(10), 4, 20, [1])) == 0
    assert sorted(draw_negatives(np.arange(10), 20, 20, [1])) == [*range(10, 20)]


def test_the_same_seed_gives_the_same_words() -> None:
    one, same, other = (
        draw_negatives(np.array([3]), 20, 1000, seed).tolist()
        for seed in ([1, 2, 3], [1, 2, 3], [1, 2, 4])
    )
    assert one == same
    assert one != other
    # Frozen: a training that is carried on elsewhere sees the same samples.
    assert one[:4] == [607, 154, 964, 94]
