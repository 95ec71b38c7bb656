"""Random choices whose outcome is the same on every Python version and platform."""

import random
from collections.abc import Mapping, Sequence
from itertools import accumulate
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
        self._random = random.Random(seed).random

    def chance(self, probability: float) -> bool:
        """Return True with the given probability in [0, 1]."""
        return self._random() < probability

    def pick(self, options: Sequence[T]) -> T:
        """Return one of the options, all equally likely."""
        return options[int(self._random() * len(options))]

    def weighted(self, weights: Mapping[T, int]) -> T:
        """Return one key of ``weights``, likely in proportion to its weight."""
        place = int(self._random() * sum(weights.values()))
        ends = accumulate(weights.values())
        return next(key for key, end in zip(weights, ends, strict=True) if place < end)
