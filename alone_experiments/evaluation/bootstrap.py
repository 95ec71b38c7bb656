"""Averages and confidence intervals by bootstrap resampling, as in ROUGE-1.5.5.

What ROUGE-1.5.5 prints as an average is not the mean of the documents' scores but the
mean of the means of all resamples, which differs from it by chance: by about the
standard deviation of the scores, divided by the root of documents times resamples.
Resamples are drawn with the seeds 0, 1, 2, …, by a generator whose stream is public,
so both averages and intervals come out the same here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from alone_experiments.mistakes import Mistake

# drand48 of POSIX, which every Perl since 5.20 brings along, and older ones take from
# the C library: x -> a x + c modulo 2^48, started with the seed above 16 fixed bits.
_MULTIPLIER = np.uint64(0x5DEECE66D)
_INCREMENT = np.uint64(0xB)
_SEED_BITS = np.uint64(0x330E)
_SEED_SHIFT = np.uint64(16)
_BITS = 48
_MASK = np.uint64((1 << _BITS) - 1)

ORDERS = ("from-1", "from-0", "as-given")


@dataclass(frozen=True)
class Resampling:
    """How to draw resamples.

    Attributes:
        confidence: Of the intervals, in percent, between 0 and 100.
        resamples: Number of resamples, at least 100.
        numbering: ROUGE-1.5.5 draws from its documents in the alphabetical order of
            their names: ``from-1`` where these are the numbers 1, 2, …, N, as it names
            them itself; ``from-0`` where they begin with 0; ``as-given`` where their
            alphabetical order is that of the lines.
    """

    confidence: float = 95.0
    resamples: int = 1000
    numbering: str = "from-1"

    def __post_init__(self) -> None:
        """Refuse values that are out of range."""
        if not 0 < self.confidence < 100:
            raise Mistake(
                f"--confidence must lie between 0 and 100, not {self.confidence:g}"
            )
        if self.resamples < 100:
            raise Mistake(f"--resamples must be at least 100, not {self.resamples}")
        if self.numbering not in ORDERS:
            raise Mistake(f"--numbering must be one of {', '.join(ORDERS)}")


@dataclass(frozen=True)
class Average:
    """An average over documents; all but ``mean`` are rounded to five decimals.

    Attributes:
        average: What ROUGE-1.5.5 prints: the mean of the resamples' means.
        lower: Lower end of the confidence interval.
        upper: Upper end of the confidence interval.
        mean: The mean of the documents' scores itself.
    """

    average: float
    lower: float
    upper: float
    mean: float


def average(scores: NDArray[np.float64], resampling: Resampling) -> list[Average]:
    """Average scores over documents.

    Args:
        scores: Shape ``(documents, kinds)``, at least one document.
        resampling: How to draw.

    Returns:
        One average a kind of score.
    """
    order = _order(len(scores), resampling.numbering)
    means = resampled_means(scores[order], resampling.resamples)
    exact = scores.mean(axis=0)
    ranked = np.sort(means, axis=0)
    return [
        _summary(column, float(mean), resampling.confidence)
        for column, mean in zip(ranked.T, exact, strict=True)
    ]


def _order(documents: int, numbering: str) -> list[int]:
    order = list(range(documents))
    if numbering == "as-given":
        return order
    first = int(numbering == "from-1")
    return sorted(order, key=lambda number: str(number + first))


def resampled_means(scores: NDArray[np.float64], resamples: int) -> NDArray[np.float64]:
    """Draw as many documents as there are, again and again, and average each draw.

    Args:
        scores: Shape ``(documents, kinds)``.
        resamples: Number of draws; each has a seed of its own, 0, 1, 2, ….

    Returns:
        Means, shape ``(resamples, kinds)``.
    """
    documents = len(scores)
    state = (np.arange(resamples, dtype=np.uint64) << _SEED_SHIFT) + _SEED_BITS
    sums = np.zeros((resamples, scores.shape[1]))
    for _ in range(documents):
        state = (state * _MULTIPLIER + _INCREMENT) & _MASK
        uniform = state.astype(np.float64) / 2.0**_BITS
        sums += scores[(documents * uniform).astype(np.int64)]
    return sums / documents


def _summary(ranked: NDArray[np.float64], mean: float, confidence: float) -> Average:
    """Average and interval of the sorted means of the resamples."""
    resamples = len(ranked)
    beyond = resamples * ((100 - confidence) / 2) / 100
    last = int(resamples - beyond - 1)
    # The original interpolates at both ends with the share that belongs to the upper.
    share = resamples - beyond - 1 - last
    lower, upper = (
        ranked[at] + (ranked[at + 1] - ranked[at]) * share for at in (int(beyond), last)
    )
    # Summed one by one in ascending order, as there: NumPy's own sum adds pairs.
    total = np.add.accumulate(ranked)[-1]
    return Average(
        average=round_score(float(total / resamples)),
        lower=round_score(float(lower)),
        upper=round_score(float(upper)),
        mean=mean,
    )


def round_score(score: float) -> float:
    """Round to the five decimals that ROUGE-1.5.5 keeps."""
    return float(f"{score:.5f}")
