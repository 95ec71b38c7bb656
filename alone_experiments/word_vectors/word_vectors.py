"""Words and their vectors in memory."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class WordVectors:
    """A vocabulary with one vector a word.

    Attributes:
        words: Different words, in the order of their source: usually the most frequent
            first.
        vectors: Their vectors, float32, ``(N, D)``.
    """

    words: list[str]
    vectors: Floats

    @property
    def dim(self) -> int:
        """Vector size ``D``."""
        return int(self.vectors.shape[1])

    @cached_property
    def exact(self) -> dict[str, int]:
        """Row of each word."""
        return {word: row for row, word in enumerate(self.words)}

    @cached_property
    def _folded(self) -> dict[str, int]:
        folded: dict[str, int] = {}
        for row, word in enumerate(self.words):
            folded.setdefault(word.lower(), row)
        return folded

    def find(self, word: str) -> int | None:
        """Find a word as evaluations look it up.

        Args:
            word: Any word.

        Returns:
            Row of the word in exactly this form; where there is none, of the first
            word that differs from it by case only; ``None`` where that is missing too.
        """
        row = self.exact.get(word)
        return self._folded.get(word.lower()) if row is None else row

    def directions(self) -> Floats:
        """Scale the vectors to length 1; zeros stay zeros."""
        lengths = np.linalg.norm(self.vectors, axis=1, keepdims=True)
        return (self.vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)

    def rows(self, chosen: list[int]) -> WordVectors:
        """Keep some of the words, in the order given."""
        return WordVectors([self.words[i] for i in chosen], self.vectors[chosen])

    def checksums(self) -> dict[str, str]:
        """Compute the SHA-256 of the words, one a line, and of the vectors' bytes."""
        words = "".join(f"{word}\n" for word in self.words).encode()
        values = np.ascontiguousarray(self.vectors, dtype="<f4").tobytes()
        return {
            "words": hashlib.sha256(words).hexdigest(),
            "vectors": hashlib.sha256(values).hexdigest(),
        }
