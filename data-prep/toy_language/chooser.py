"""Random choices whose outcome is the same on every Python version and platform."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


class Chooser:
    """A seeded stream of choices that also notes what was combined with what.

    Only ``random.Random.random`` is called: its stream is documented as stable
    across Python versions, that of ``choice`` or ``shuffle`` is not.

    Attributes:
        pairings: (kind, first, second) for the words combined in this sentence.
        coined: the compounds and composed numbers that this sentence may hold.
    """

    def __init__(self, seed: int) -> None:
        """Start the stream; equal seeds (integers, 0 or more) give equal streams."""
        self._stream = random.Random(seed)
        self.pairings: set[tuple[str, str, str]] = set()
        self.coined: set[str] = set()

    def start_sentence(self) -> None:
        """Forget the pairings and the coined words noted so far."""
        self.pairings = set()
        self.coined = set()

    def note_pairing(self, kind: str, first: str, second: str) -> None:
        """Note that two words are combined, e.g. ("adjective", "red", "apple")."""
        self.pairings.add((kind, first, second))

    def below(self, end: int) -> int:
        """Return an integer in [0, end)."""
        return int(self._stream.random() * end)

    def chance(self, probability: float) -> bool:
        """Return True with the given probability in [0, 1]."""
        return self._stream.random() < probability

    def pick(self, options: Sequence[T]) -> T:
        """Return one of the options, all equally likely."""
        return options[self.below(len(options))]

    def weighted(self, weights: Mapping[T, int]) -> T:
        """Return one key of ``weights``, likely in proportion to its weight."""
        mark = self.below(sum(weights.values()))
        for option, weight in weights.items():
            mark -= weight
            if mark < 0:
                return option
        raise AssertionError("the mark lies below the sum of the weights")
