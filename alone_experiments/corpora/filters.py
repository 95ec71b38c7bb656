"""Which pairs of sentences are left out of a training set, and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass


@dataclass(frozen=True)
class PairFilter:
    """The limits of Moses' ``clean-corpus-n``, on subword units.

    Attributes:
        max_length: Most units of a side; 0 = no limit.
        max_ratio: Most units of one side for each of the other; 0 = no limit.
    """

    max_length: int = 250
    max_ratio: float = 0.0

    def reason(self, source: str, target: str) -> str | None:
        """Say why a pair is left out.

        Args:
            source: Units, separated by white space.
            target: The same of the other side.

        Returns:
            The reason, or ``None`` if the pair stays. A side without a unit is a reason
            under any limits.
        """
        shorter, longer = sorted((len(source.split()), len(target.split())))
        if shorter == 0:
            return "with an empty side"
        if self.max_length and longer > self.max_length:
            return f"over {self.max_length} subword units"
        if self.max_ratio and longer > self.max_ratio * shorter:
            return f"with a ratio of lengths over {self.max_ratio:g}"
        return None

    def split(
        self, source: list[str], target: list[str]
    ) -> tuple[list[str], list[str], Counter[str]]:
        """Leave out pairs, both sides at once.

        Args:
            source: Sentences.
            target: As many.

        Returns:
            The pairs that stay, in order, as two lists, and how many were left out for
            each reason.
        """
        pairs = list(zip(source, target, strict=True))
        reasons = [self.reason(*pair) for pair in pairs]
        kept = [pair for pair, why in zip(pairs, reasons, strict=True) if why is None]
        left_out = Counter(why for why in reasons if why is not None)
        return [pair[0] for pair in kept], [pair[1] for pair in kept], left_out


def describe(pairs: int, left_out: Counter[str]) -> str:
    """Put into a line what a filter did.

    Args:
        pairs: Pairs before it.
        left_out: Pairs left out, by reason.

    Returns:
        A line for the user.
    """
    kept = pairs - left_out.total()
    whys = ", ".join(f"{count:,} {why}" for why, count in left_out.most_common())
    return f"{kept:,} of {pairs:,} training pairs stay" + (
        whys and f"; left out: {whys}"
    )
