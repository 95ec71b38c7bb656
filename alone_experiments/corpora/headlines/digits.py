"""Digits as they are, or every one as ``#``, as in the public Gigaword pairs."""

from __future__ import annotations

import re

_DIGIT = re.compile("[0-9]")


def mask(text: str) -> str:
    """Replace every ASCII digit by ``#``."""
    return _DIGIT.sub("#", text)


def has_digit(text: str) -> bool:
    """Whether a text has an ASCII digit."""
    return _DIGIT.search(text) is not None
