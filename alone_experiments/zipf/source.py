"""A source of text with Zipf's law, of which all probabilities are known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

CLASSES = 16
"""Classes of words. The class of a word says which two are likely to come next."""

STRAY = 0.1
"""Part of the words whose class is drawn from all, whatever came before."""

SHIFT = 2.7
"""Within its class the word of rank r, from 0 on, has a probability proportional to
1 / (r + 2.7), the law of Mandelbrot with an exponent of 1; a class is as likely as any
other."""

Words = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ZipfSource:
    """Draws words whose classes form a chain.

    The word of rank r is in class r mod 16. After class c come 5c + 3 and 5c + 4, as
    likely as each other; within a class words keep the proportions of their
    frequencies. So a model that knows the classes of words has log 16 nats less to tell
    a word than one that knows frequencies alone, but for those of the class itself;
    which words share a class can be learned from the text only.

    Attributes:
        words: How many there are, ``CLASSES`` or more.
    """

    words: int

    @cached_property
    def _cumulated(self) -> list[Floats]:
        weights = 1.0 / (np.arange(self.words) + SHIFT)
        sums = [np.cumsum(weights[own::CLASSES]) for own in range(CLASSES)]
        return [each / each[-1] for each in sums]

    @cached_property
    def in_class(self) -> Floats:
        """Probability of each word given its class, ``(words,)``."""
        found = np.empty(self.words)
        for own, sums in enumerate(self._cumulated):
            found[own::CLASSES] = np.diff(sums, prepend=0.0)
        return found

    @cached_property
    def frequencies(self) -> Floats:
        """Probability of each word without what came before, ``(words,)``."""
        # The classes are as frequent as each other: each follows two others.
        return self.in_class / CLASSES

    def draw(self, sentences: int, length: int, seed: int) -> Words:
        """Draw sentences.

        Args:
            sentences: How many.
            length: Words of each.
            seed: What they follow from.

        Returns:
            Ranks of words, ``(sentences, length)``.
        """
        random = np.random.default_rng([seed, self.words])
        found = np.empty((sentences, length), dtype=np.int64)
        classes = random.integers(CLASSES, size=sentences)
        for place in range(length):
            if place:
                classes = 5 * classes + 3 + random.integers(2, size=sentences)
                classes %= CLASSES
                stray = random.random(sentences) < STRAY
                classes[stray] = random.integers(CLASSES, size=int(stray.sum()))
            shares = random.random(sentences)
            for own, sums in enumerate(self._cumulated):
                here = classes == own
                index = np.searchsorted(sums, shares[here], side="right")
                found[here, place] = np.minimum(index, len(sums) - 1) * CLASSES + own
        return found

    def losses(self, text: Words) -> Floats:
        """Tell what words cost one that knows the source: nobody can do better.

        Args:
            text: Ranks, ``(sentences, length)``.

        Returns:
            Minus the natural logarithm of the probability of each word given those
            before it, ``(sentences, length)``.
        """
        classes = text % CLASSES
        before = classes[:, :-1]
        likely = sum(
            (classes[:, 1:] == (5 * before + step) % CLASSES).astype(float) / 2
            for step in (3, 4)
        )
        of_class = np.full(text.shape, 1.0 / CLASSES)
        of_class[:, 1:] = STRAY / CLASSES + (1 - STRAY) * likely
        found: Floats = -np.log(of_class * self.in_class[text])
        return found
