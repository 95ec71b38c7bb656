"""Medians with their spread, and ratios taken round by round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, quantiles


@dataclass(frozen=True)
class Spread:
    """Several measurements of one thing.

    Attributes:
        median: Their median.
        low: Their first quartile.
        high: Their third quartile.
        count: How many there are.
    """

    median: float
    low: float
    high: float
    count: int


def spread(values: Sequence[float]) -> Spread:
    """Summarise values.

    Args:
        values: At least one.

    Returns:
        Median and quartiles; of one value, that value.
    """
    if len(values) == 1:
        return Spread(values[0], values[0], values[0], 1)
    low, _, high = quantiles(values, n=4, method="inclusive")
    return Spread(median(values), low, high, len(values))


def ratio(values: dict[int, float], reference: dict[int, float]) -> Spread | None:
    """Compare two variants round by round.

    The neighbours in time are compared, so that what slows a whole round down on a
    shared machine cancels out.

    Args:
        values: Values of one variant by round.
        reference: Values of the other by round.

    Returns:
        The spread of ``values / reference`` over the rounds that both have, or
        ``None`` if there are none or the reference is nothing.
    """
    common = [number for number in values if reference.get(number, 0.0) > 0.0]
    if not common:
        return None
    return spread([values[number] / reference[number] for number in common])
