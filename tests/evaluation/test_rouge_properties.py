"""ROUGE against independent formulations, and what holds for any text."""

import itertools
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alone_experiments.evaluation.rouge import (
    RougeSettings,
    Score,
    lcs_length,
    rouge_l,
    rouge_n,
    score_document,
)
from alone_experiments.evaluation.rouge_tokens import Tokeniser

words = st.lists(st.sampled_from("abcde"), max_size=8)
several = st.lists(words, min_size=1, max_size=4)
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
sentences = st.lists(
    st.sampled_from(["the", "men", "ran", "to", "café-bars", "in", "U.S.", "3.5"])
)
lines = text | sentences.map(" ".join)
settings = st.builds(
    lambda limit, stemming: RougeSettings(Tokeniser(limit, stemming)),
    st.none() | st.integers(1, 80),
    st.booleans(),
)


def longest_common(a: Sequence[str], b: Sequence[str]) -> int:
    """Try every subsequence of ``a``, the longest first."""
    for length in range(min(len(a), len(b)), 0, -1):
        for candidate in itertools.combinations(a, length):
            rest = iter(b)
            if all(word in rest for word in candidate):
                return length
    return 0


def pooled(hits: int, wanted: int, given: int) -> list[float]:
    recall, precision = hits / wanted if wanted else 0.0, hits / given if given else 0.0
    total = recall + precision
    return [recall, precision, 2 * recall * precision / total if total else 0.0]


@given(words, words)
def test_longest_common_subsequence_by_brute_force(a: list[str], b: list[str]) -> None:
    assert lcs_length(a, b) == longest_common(a, b)


@given(words, several)
def test_rouge_l_by_brute_force(system: list[str], references: list[list[str]]) -> None:
    hits = sum(longest_common(reference, system) for reference in references)
    wanted = sum(map(len, references))
    expected = pooled(hits, wanted, len(system) * len(references))
    assert rouge_l(system, references) == pytest.approx(expected, abs=2e-5)


@given(words, several, st.integers(1, 3))
def test_rouge_n_by_counting(
    system: list[str], references: list[list[str]], n: int
) -> None:
    def grams(of: list[str]) -> list[str]:
        return ["".join(of[start : start + n]) for start in range(len(of) - n + 1)]

    ours, hits, wanted = Counter(grams(system)), 0, 0
    for reference in references:
        theirs = Counter(grams(reference))
        hits += sum(min(ours[gram], theirs[gram]) for gram in theirs)
        wanted += len(grams(reference))
    expected = pooled(hits, wanted, len(grams(system)) * len(references))
    assert rouge_n(system, references, n) == pytest.approx(expected, abs=2e-5)


@given(lines, st.lists(lines, min_size=1, max_size=4), settings)
def test_scores_are_bounded(
    system: str, references: list[str], settings: RougeSettings
) -> None:
    scores = score_document(system, references, settings)
    assert all(0 <= value <= 1 for score in scores.values() for value in score)
    # A common subsequence has no more words than both have in common.
    assert scores["ROUGE-L"].recall <= scores["ROUGE-1"].recall


@given(lines, st.integers(1, 4), settings)
def test_a_text_is_like_itself(line: str, count: int, settings: RougeSettings) -> None:
    scores = score_document(line, [line] * count, settings)
    has_words = bool(settings.tokeniser(line))
    assert scores["ROUGE-1"] == scores["ROUGE-L"] == Score(*[float(has_words)] * 3)


@given(lines, st.permutations(["men ran", "café", "the U.S. men", ""]), settings)
def test_order_of_references_does_not_matter(
    system: str, references: list[str], settings: RougeSettings
) -> None:
    expected = score_document(system, sorted(references), settings)
    assert score_document(system, references, settings) == expected


@given(text, st.integers(1, 80))
def test_limit_is_that_of_the_text_in_bytes(line: str, limit: int) -> None:
    cut = line.encode()[:limit].decode(errors="replace")
    assert Tokeniser(limit)(line) == Tokeniser()(cut)
