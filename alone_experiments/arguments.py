"""Types of command line arguments."""

from __future__ import annotations

import argparse
from collections.abc import Callable

MOST = 2**32 - 1
"""NumPy's largest seed, and more than anything that is counted here."""


def whole_number(least: int = 0) -> Callable[[str], int]:
    """Make a type for whole numbers up to ``MOST``.

    Args:
        least: The smallest that is allowed.

    Returns:
        What reads one; argparse tells a user what is wrong with another text.
    """

    def read(text: str) -> int:
        digits = text.isascii() and text.isdigit()
        # Thousands of digits are more than int() takes.
        if digits and (len(text) > 100 or int(text) > MOST):
            raise argparse.ArgumentTypeError(f"must be at most {MOST}, not {text}")
        if not digits or int(text) < least:
            raise argparse.ArgumentTypeError(
                f"must be a whole number from {least}, not {text or 'none'}"
            )
        return int(text)

    return read


def whole_numbers(least: int = 0) -> Callable[[str], list[int]]:
    """Make a type for whole numbers separated by commas, at least one.

    Args:
        least: The smallest that is allowed.
    """

    def read(text: str) -> list[int]:
        return [*map(whole_number(least), text.rstrip(",").split(","))]

    return read


def ascending(least: int = 0) -> Callable[[str], list[int]]:
    """Make a type for whole numbers separated by commas, each above the one before.

    Args:
        least: The smallest that is allowed.
    """

    def read(text: str) -> list[int]:
        numbers = whole_numbers(least)(text)
        if numbers != sorted(set(numbers)):
            raise argparse.ArgumentTypeError(
                f"must ascend, such as 1,10,100, not {text}"
            )
        return numbers

    return read


def names(text: str) -> list[str]:
    """Read names separated by commas, at least one."""
    found = [name for name in text.split(",") if name]
    if not found:
        raise argparse.ArgumentTypeError(f"must be names with commas, not {text!r}")
    return found
