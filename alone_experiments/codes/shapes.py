"""Sizes of compositional codes: M codebooks of K codewords, written ``MxK``."""

from __future__ import annotations

import argparse
import re
from typing import Any, NamedTuple, Self

_WRITTEN = re.compile(r"([1-9]\d*)x([1-9]\d*)")
LARGEST = 2**16
"""Codewords that a codebook can have."""


class Shape(NamedTuple):
    """How many codebooks there are, and how large each is.

    Attributes:
        codebooks: Number ``M`` of codebooks, and of codes of a word.
        values: Codewords ``K`` of each, and values that a code can have.
    """

    codebooks: int
    values: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``MxK``.

        Raises:
            argparse.ArgumentTypeError: If it is none; argparse tells the user.
        """
        found = _WRITTEN.fullmatch(text)
        if found is None or not 2 <= int(found[2]) <= LARGEST:
            raise argparse.ArgumentTypeError(
                f"must be MxK such as 32x16, M from 1 and K from 2 to {LARGEST}, not"
                f" {text or 'none'}"
            )
        return cls(int(found[1]), int(found[2]))

    @classmethod
    def of(cls, options: Any) -> Self:
        """Take the size of the codes of an embedding from its options."""
        return cls(options.codes_num_codebooks, options.codes_codebook_size)

    def __str__(self) -> str:
        """Write ``MxK``."""
        return f"{self.codebooks}x{self.values}"

    @property
    def codewords(self) -> int:
        """Number of all codewords, ``M * K``."""
        return self.codebooks * self.values

    @property
    def bits(self) -> int:
        """Bits of a code: ``log2 K``, rounded up."""
        return (self.values - 1).bit_length()

    @property
    def word_bits(self) -> int:
        """Bits of a word's codes: ``M log2 K``."""
        return self.codebooks * self.bits


def shapes(text: str) -> list[Shape]:
    """Read shapes separated by commas, at least one."""
    return [Shape.parse(part) for part in text.rstrip(",").split(",")]
