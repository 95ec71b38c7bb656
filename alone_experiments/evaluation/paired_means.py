"""Whether two systems differ in the mean of what each line scores.

Paired approximate randomisation, as in SacreBLEU (Riezler and Maxwell, 2005): if both
were of the same quality, their scores of a line could as well be exchanged. ROUGE of a
corpus is such a mean; BLEU is not (see ``significance``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from alone_experiments.mistakes import Mistake

TRIALS = 10_000
SEED = 12345
SIGNATURE = f"paired-ar:{TRIALS}|seed:{SEED}"
_BATCH = 500
# Scores have five decimals; as whole numbers they add up without rounding errors, so
# that ties are ties.
_UNITS = 100_000


@dataclass(frozen=True)
class MeanComparison:
    """A system compared with a baseline on the same lines.

    Attributes:
        difference: Mean score of the system less that of the baseline, in the unit of
            the scores.
        p_value: Probability of so large a difference, in either direction, between
            systems of the same quality; in (0, 1].
    """

    difference: float
    p_value: float


def compare_means(
    system: Mapping[str, Sequence[float]], baseline: Mapping[str, Sequence[float]]
) -> dict[str, MeanComparison]:
    """Compare two systems by each of several scores.

    Args:
        system: For each metric one score a line, with at most five decimals.
        baseline: The same of the system to compare with, in the same order.

    Returns:
        Difference and p-value by metric; the same exchanges serve all metrics.

    Raises:
        Mistake: If metrics or numbers of lines differ, or there are none.
    """
    sizes = {len(scores) for side in (system, baseline) for scores in side.values()}
    if system.keys() != baseline.keys() or len(sizes) != 1 or sizes == {0}:
        raise Mistake("scores of different lines: compare results of one test set")
    columns = [np.subtract(system[metric], baseline[metric]) for metric in system]
    differences = np.rint(np.stack(columns, axis=1) * _UNITS)
    means, p_values = differences.mean(axis=0) / _UNITS, _p_values(differences)
    return {
        metric: MeanComparison(float(mean), float(p_value))
        for metric, mean, p_value in zip(system, means, p_values, strict=True)
    }


def _p_values(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Exchange lines at random, each with an even chance.

    Args:
        differences: Whole numbers, shape ``(lines, metrics)``.

    Returns:
        Shape ``(metrics,)``.
    """
    chooser = np.random.default_rng(SEED)
    observed = np.abs(differences.sum(axis=0))
    extreme = np.zeros(len(observed))
    for _ in range(TRIALS // _BATCH):
        kept = chooser.integers(0, 2, size=(_BATCH, len(differences)))
        sums = (2.0 * kept - 1.0) @ differences
        extreme += (np.abs(sums) >= observed).sum(axis=0)
    p_values: NDArray[np.float64] = (extreme + 1) / (TRIALS + 1)
    return p_values
