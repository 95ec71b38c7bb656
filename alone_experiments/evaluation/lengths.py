"""How close the lengths of outputs come to the desired one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from alone_experiments.mistakes import Mistake


@dataclass(frozen=True)
class LengthStatistics:
    """Lengths of a system's outputs, in characters unless bytes are named.

    Attributes:
        desired: The desired length N.
        mean_length: Mean of the lengths.
        mean_difference: Mean of length minus N: positive where outputs are too long.
        mean_absolute_difference: Mean of the same without its sign.
        variance: Mean of its square: around N and not around the mean, as in
            Takase and Okazaki (2019).
        within_characters: Share of outputs with at most N characters, in [0, 1].
        within_bytes: Share of outputs with at most N bytes of UTF-8, in [0, 1].
    """

    desired: int
    mean_length: float
    mean_difference: float
    mean_absolute_difference: float
    variance: float
    within_characters: float
    within_bytes: float


def length_statistics(lines: Sequence[str], desired: int) -> LengthStatistics:
    """Compare the lengths of lines with the desired length.

    Args:
        lines: Outputs; white space at both ends does not count. A character is a
            Unicode code point.
        desired: The desired length, at least 1.

    Returns:
        The statistics.

    Raises:
        Mistake: If there is no line or the desired length is below 1.
    """
    if desired < 1:
        raise Mistake(f"--desired-length must be at least 1, not {desired}")
    if not lines:
        raise Mistake("there is no line whose length could be measured")
    texts = [line.strip() for line in lines]
    lengths = [len(text) for text in texts]
    differences = [length - desired for length in lengths]
    return LengthStatistics(
        desired=desired,
        mean_length=fmean(lengths),
        mean_difference=fmean(differences),
        mean_absolute_difference=fmean(map(abs, differences)),
        variance=fmean(difference**2 for difference in differences),
        within_characters=fmean(length <= desired for length in lengths),
        within_bytes=fmean(len(text.encode()) <= desired for text in texts),
    )
