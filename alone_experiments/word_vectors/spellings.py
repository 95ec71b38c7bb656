"""How a dictionary of subword units writes a word that it has not as it stands."""

from __future__ import annotations

from collections.abc import Collection

GOES_ON = "@@"
"""Ends the units of subword-nmt after which the word goes on."""
BEGINS = "▁"
"""Begins the units of SentencePiece with which a word begins."""


def spell(word: str, known: Collection[str]) -> list[str]:
    """Find the units of a word.

    Args:
        word: The word, not empty.
        known: The entries of a dictionary.

    Returns:
        The word itself where it is an entry, or else the fewest entries that make it
        up, by subword-nmt's or SentencePiece's way to mark them; the longest first
        where there are several such. Empty if there are none.
    """
    if word in known:
        return [word]
    return _fewest(word, known, GOES_ON) or _fewest(BEGINS + word, known, "")


def other_case(word: str, known: Collection[str]) -> list[str]:
    """Find the units of a word in another case, lower before capitalised.

    Args:
        word: The word, not empty.
        known: The entries of a dictionary.

    Returns:
        Units as of :func:`spell`; empty if there are none.
    """
    for changed in (word.lower(), word.capitalize(), word.upper()):
        units = spell(changed, known)
        if units:
            return units
    return []


def _fewest(word: str, known: Collection[str], goes_on: str) -> list[str]:
    # The best units of each end of the word, from the last letter on.
    best: list[list[str] | None] = [None] * len(word) + [[]]
    for start in reversed(range(len(word))):
        for end in range(len(word), start, -1):
            unit = word[start:end] + (goes_on if end < len(word) else "")
            rest = best[end]
            shorter = best[start]
            if rest is None or unit not in known:
                continue
            if shorter is None or len(rest) + 1 < len(shorter):
                best[start] = [unit, *rest]
    return best[0] or []
