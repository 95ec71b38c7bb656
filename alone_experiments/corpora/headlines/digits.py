"""Digits as they are, or every one as ``#``, as in the public Gigaword pairs."""

from __future__ import annotations

import re
from pathlib import Path

_DIGIT = re.compile("[0-9]")


def are_masked(corpus: Path) -> bool:
    """Whether the corpus of a folder was written with ``#`` in place of digits."""
    said = corpus / "raw" / "digits"
    return said.is_file() and said.read_text(encoding="utf-8") == "masked\n"


def mask(text: str) -> str:
    """Replace every ASCII digit by ``#``."""
    return _DIGIT.sub("#", text)


def has_digit(text: str) -> bool:
    """Whether a text has an ASCII digit."""
    return _DIGIT.search(text) is not None
