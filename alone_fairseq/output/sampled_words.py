"""Which words a sampled softmax is over."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.random import RandomState

from ..errors import AloneError

Integers = npt.NDArray[np.int64]
FLAG = "--sampled-words"


def sample_size(wanted: str, vocabulary: int) -> int:
    """Read how many words a sample has, the right ones included.

    Args:
        wanted: A share of the vocabulary, such as ``25%``, or a number of words.
        vocabulary: Number of words V.

    Returns:
        A number in ``[2, V]``.

    Raises:
        AloneError: If it is neither, or out of range.
    """
    text = wanted.strip()
    number = text.removesuffix("%")
    try:
        value = float(number) if number != text else int(text)
    except ValueError:
        raise AloneError(
            f"{FLAG} must be a share such as 25%, or a number of words, not '{wanted}'"
        ) from None
    if number != text:
        if not 0 < value <= 100:
            raise AloneError(f"{FLAG} must lie in (0%, 100%], not {wanted}")
        return max(2, int(vocabulary * value / 100))
    if not 2 <= value <= vocabulary:
        raise AloneError(
            f"{FLAG} must lie in [2, {vocabulary}], the words of the target dictionary,"
            f" not {wanted}"
        )
    return int(value)


def draw_distinct(generator: Any, count: int, below: int) -> Integers:
    """Draw different numbers, every set of them with the same probability.

    In time and memory that follow from the count: numbers are drawn with replacement,
    and what came before is thrown away. Where that would be most, the numbers that are
    left out are drawn.

    Args:
        generator: NumPy's frozen ``RandomState``.
        count: How many, at most ``below``.
        below: They lie in ``[0, below)``.

    Returns:
        The numbers, in no order, int64, ``(count)``.
    """
    if 2 * count > below:
        kept = np.ones(below, dtype=bool)
        kept[draw_distinct(generator, below - count, below)] = False
        return np.flatnonzero(kept)
    found = np.empty(0, dtype=np.int64)
    while len(found) < count:
        missing = count - len(found)
        more = generator.randint(0, below, missing + missing // 8 + 8, dtype=np.int64)
        found = np.concatenate([found, more])
        _, first = np.unique(found, return_index=True)
        found = found[np.sort(first)]
    return found[:count]


def draw_negatives(
    positives: Integers, size: int, vocabulary: int, seed: list[int]
) -> Integers:
    """Draw words that are not right anywhere in a batch, uniformly and no word twice.

    Args:
        positives: The different right words of the batch, in ascending order.
        size: Words of the sample, the positives included.
        vocabulary: Number of words V.
        seed: Numbers in ``[0, 2^32)`` from which the sample follows.

    Returns:
        ``size`` less the number of positives; none where there are more of them.
    """
    rest = vocabulary - len(positives)
    count = max(0, min(size, vocabulary) - len(positives))
    ranks = draw_distinct(RandomState(seed), count, rest)
    # A rank among the other words becomes a word by the positives that come before it.
    before = np.searchsorted(positives - np.arange(len(positives)), ranks, "right")
    return ranks + before
