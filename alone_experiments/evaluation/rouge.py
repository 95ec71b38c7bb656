"""ROUGE-1, ROUGE-2, … and ROUGE-L as ROUGE-1.5.5 computes them (Lin, 2004).

Of one document and several references, hits are summed over the references and divided
by the sum of the references' counts (its scoring formula A). Scores of documents are
rounded to five decimals, as they are there. A document is one line, one sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from alone_experiments.evaluation.bootstrap import Average, Resampling, average
from alone_experiments.evaluation.rouge_tokens import Tokeniser
from alone_experiments.mistakes import Mistake

SCORES = ("recall", "precision", "f1")


class Score(NamedTuple):
    """The scores of one document, each in [0, 1]."""

    recall: float
    precision: float
    f1: float


@dataclass(frozen=True)
class RougeSettings:
    """What changes the scores.

    Attributes:
        tokeniser: How words are made of lines.
        max_ngram: ROUGE-1 to ROUGE-``max_ngram`` are computed, and ROUGE-L.
        resampling: How averages and intervals come from the documents' scores.
    """

    tokeniser: Tokeniser = field(default_factory=Tokeniser)
    max_ngram: int = 2
    resampling: Resampling = field(default_factory=Resampling)

    def __post_init__(self) -> None:
        """Refuse n-grams of no words."""
        if self.max_ngram < 1:
            raise Mistake(f"--max-ngram must be at least 1, not {self.max_ngram}")


@dataclass(frozen=True)
class RougeResult:
    """The scores of a system's output.

    Attributes:
        documents: For each metric (``ROUGE-1``, …, ``ROUGE-L``), one score a document.
        averages: For each metric and each of ``SCORES`` its average and interval.
    """

    documents: dict[str, list[Score]]
    averages: dict[str, dict[str, Average]]


def score_corpus(
    system: Sequence[str],
    references: Sequence[Sequence[str]],
    settings: RougeSettings | None = None,
) -> RougeResult:
    """Score one output a document against one or more references.

    Args:
        system: The system's lines.
        references: As many lists of lines, in the same order: one list a reference
            file, not one a document.
        settings: How to count; by default as ROUGE-1.5.5 without options counts.

    Returns:
        Scores by document, averages and intervals.

    Raises:
        Mistake: If there is nothing to score or the numbers of lines differ.
    """
    settings = settings or RougeSettings()
    _check_sizes(system, references)
    documents: dict[str, list[Score]] = {}
    for line, *of_line in zip(system, *references, strict=True):
        for metric, score in score_document(line, of_line, settings).items():
            documents.setdefault(metric, []).append(score)
    averages = {}
    for metric, scores in documents.items():
        found = average(np.array(scores, dtype=np.float64), settings.resampling)
        averages[metric] = dict(zip(SCORES, found, strict=True))
    return RougeResult(documents, averages)


def _check_sizes(system: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    if not system or not references:
        raise Mistake("there is nothing to score: no line, or no reference")
    for number, lines in enumerate(references, start=1):
        if len(lines) != len(system):
            raise Mistake(
                f"{len(system)} lines of output, {len(lines)} of reference {number}"
            )


def score_document(
    system: str, references: Sequence[str], settings: RougeSettings
) -> dict[str, Score]:
    """Score one line against its references.

    Args:
        system: The system's line; an empty one scores 0.
        references: One line a reference; empty ones add nothing to hits and counts.
        settings: How to count.

    Returns:
        Scores by metric.
    """
    words = settings.tokeniser(system)
    of_references = [settings.tokeniser(line) for line in references]
    scores = {
        f"ROUGE-{n}": rouge_n(words, of_references, n)
        for n in range(1, settings.max_ngram + 1)
    }
    scores["ROUGE-L"] = rouge_l(words, of_references)
    return scores


def rouge_n(
    system: Sequence[str], references: Sequence[Sequence[str]], n: int
) -> Score:
    """Compare n-grams; each counts as often as the poorer of both sides has it.

    Args:
        system: Words of the system's line.
        references: Words of each reference.
        n: Length of the n-grams, at least 1.

    Returns:
        Scores, rounded to five decimals.
    """
    found = _ngrams(system, n)
    wanted = [_ngrams(reference, n) for reference in references]
    hits = sum((found & grams).total() for grams in wanted)
    count = sum(grams.total() for grams in wanted)
    return _score(hits, count, found.total() * len(references))


def _ngrams(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(words[start:] for start in range(n)), strict=False))


def rouge_l(system: Sequence[str], references: Sequence[Sequence[str]]) -> Score:
    """Compare by the longest common subsequence.

    With one sentence a document, the union of subsequences and the clipping of
    ROUGE-1.5.5 change nothing: hits are the length of the subsequence.

    Args:
        system: Words of the system's line.
        references: Words of each reference.

    Returns:
        Scores, rounded to five decimals.
    """
    hits = sum(lcs_length(reference, system) for reference in references)
    count = sum(len(reference) for reference in references)
    return _score(hits, count, len(system) * len(references))


def lcs_length(a: Sequence[str], b: Sequence[str]) -> int:
    """Length of the longest common subsequence, from 0 to that of the shorter one."""
    row = [0] * (len(b) + 1)
    for word in a:
        diagonal = 0
        for column, other in enumerate(b, start=1):
            above = row[column]
            row[column] = diagonal + 1 if word == other else max(above, row[column - 1])
            diagonal = above
    return row[-1]


def _score(hits: int, reference_count: int, system_count: int) -> Score:
    recall = _ratio(hits, reference_count)
    precision = _ratio(hits, system_count)
    # Of the rounded values, with equal weights in the order of ROUGE-1.5.5.
    f1 = _ratio(precision * recall, 0.5 * precision + 0.5 * recall)
    return Score(recall, precision, f1)


def _ratio(part: float, whole: float) -> float:
    return float(f"{part / whole:.5f}") if whole > 0 else 0.0
