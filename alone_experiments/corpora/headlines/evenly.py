"""Some lines of many, spread evenly, without having them in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def evenly(items: Iterable[Item], total: int, wanted: int) -> Iterator[Item]:
    """Pick items at equal distances.

    Args:
        items: All of them, in order.
        total: How many they are.
        wanted: How many to pick; 0, or ``total`` and more, picks all.

    Yields:
        The picked ones, in order; the same ones every time.
    """
    if not 0 < wanted < total:
        yield from items
        return
    for position, item in enumerate(items):
        if position * wanted // total != (position - 1) * wanted // total:
            yield item
