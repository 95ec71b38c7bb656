"""Training, validation and test sets of a corpus that has none.

The order of draw is that of a checksum of the pairs, so that it is the same everywhere,
follows from the text alone, and hardly changes when pairs are added. The first pairs
are the test set, the next the validation set, the rest are trained on; what is a
near-duplicate of a pair in an earlier set is left out. Within a set pairs stand in the
corpus's order.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from alone_experiments.corpora.headlines.near_duplicates import NearDuplicates, Pair
from alone_experiments.mistakes import Mistake


@dataclass
class Splits:
    """The sets, and what was left out.

    Attributes:
        parts: Pairs of ``train``, ``valid`` and ``test``.
        repeated: Number of pairs that occurred before, word for word.
        left_out: Number of near-duplicates by reason, of valid and train.
    """

    parts: dict[str, list[Pair]]
    repeated: int = 0
    left_out: dict[str, Counter[str]] = field(default_factory=dict)

    def report(self) -> list[str]:
        """Return one line a set, and one for the pairs that were repeated."""
        rows = [f"{self.repeated} pairs occurred before, word for word: left out"]
        for part, pairs in self.parts.items():
            reasons = self.left_out.get(part, Counter())
            why = ", ".join(f"{n} {reason}" for reason, n in sorted(reasons.items()))
            without = f"; {reasons.total()} near-duplicates left out ({why})"
            rows.append(f"{part}: {len(pairs)} pairs{without if reasons else ''}")
        return rows


def split(pairs: Sequence[Pair], valid: int, test: int, remedy: str) -> Splits:
    """Split a corpus.

    Args:
        pairs: Source and title of each, cleaned.
        valid: Size of the validation set, above 0.
        test: Size of the test set, above 0.
        remedy: What to do about a corpus that is too small.

    Returns:
        The sets; no pair of one is a near-duplicate of a pair of another.

    Raises:
        Mistake: If the corpus is too small.
    """
    unique = list(dict.fromkeys(pairs))
    order = sorted(range(len(unique)), key=lambda i: _checksum(unique[i]))
    left_out: dict[str, Counter[str]] = {}
    tested, rest = order[:test], order[test:]
    counts = left_out["valid"] = Counter()
    rest = _without(rest, unique, tested, counts, until=valid)
    validated, rest = rest[:valid], rest[valid:]
    counts = left_out["train"] = Counter()
    rest = _without(rest, unique, tested + validated, counts)
    if not rest or len(validated) < valid:
        raise Mistake(
            f"{len(unique)} pairs are too few for {test} to test on, {valid} to"
            " validate on and some to train on that are not near-duplicates of those:"
            f" {remedy}"
        )
    drawn = {"train": rest, "valid": validated, "test": tested}
    parts = {part: [unique[i] for i in sorted(which)] for part, which in drawn.items()}
    return Splits(parts, len(pairs) - len(unique), left_out)


def _checksum(pair: Pair) -> bytes:
    return hashlib.sha256("\n".join(pair).encode("utf-8")).digest()


def _without(
    candidates: list[int],
    pairs: Sequence[Pair],
    others: list[int],
    counts: Counter[str],
    until: int | None = None,
) -> list[int]:
    """Drop near-duplicates of others, up to the point where enough are found."""
    known = NearDuplicates(pairs[i] for i in others)
    kept: list[int] = []
    for position, i in enumerate(candidates):
        if len(kept) == until:
            return kept + candidates[position:]
        if reason := known.reason(*pairs[i]):
            counts[reason] += 1
        else:
            kept.append(i)
    return kept
