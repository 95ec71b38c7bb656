"""Types of command line arguments."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def whole_number(least: int = 0) -> Callable[[str], int]:
    """Make a type for whole numbers.

    Args:
        least: The smallest that is allowed.

    Returns:
        What reads one; argparse tells a user what is wrong with another text.
    """

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or int(text) < least:
            raise argparse.ArgumentTypeError(
                f"must be a whole number from {least}, not {text or 'none'}"
            )
        return int(text)

    return read


def whole_numbers(text: str) -> list[int]:
    """Read whole numbers from 0, separated by commas, at least one."""
    return [*map(whole_number(), text.rstrip(",").split(","))]


def names(text: str) -> list[str]:
    """Read names separated by commas."""
    return [name for name in text.split(",") if name]
