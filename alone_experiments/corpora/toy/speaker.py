"""Random choices whose outcome is the same on every Python version and platform."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

from .words import Lexicon

T = TypeVar("T")


class Speaker:
    """Knows the words, chooses among them and notes which it combines in a sentence.

    Only ``random.Random.random`` is called: its stream is documented as stable
    across Python versions, that of ``choice`` or ``shuffle`` is not.
    """

    def __init__(self, lexicon: Lexicon, seed: int) -> None:
        """Start the stream; equal seeds (integers, 0 or more) give equal streams."""
        self.lexicon = lexicon
        self.pairings: set[tuple[str, str, str]] = set()
        self._stream = random.Random(seed)

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
        raise ValueError("there is nothing to choose from")

    def mixture(self, row: str) -> str:
        """Draw from a row of the table of weights."""
        return self.weighted(self.lexicon.weights[row])
