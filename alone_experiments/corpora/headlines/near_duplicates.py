"""Which pairs are so alike that one must not be trained on to be tested on the other.

Two pairs are near-duplicates if, with case, punctuation and numbers set aside,

* their sources are the same, or
* their titles are the same, or
* the word trigrams of their sources overlap by half: the resemblance of Broder (1997),
  trigrams that both have over trigrams that either has, is 0.5 or more.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

RESEMBLANCE = 0.5
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d[\d.,/:-]*")
Pair = tuple[str, str]


def normalise(text: str) -> str:
    """Reduce a text to its words: no case, no punctuation, every number alike."""
    return " ".join(_WORD.findall(_NUMBER.sub(" 0 ", text.casefold())))


def trigrams(normalised: str) -> frozenset[tuple[str, ...]]:
    """Return the word trigrams of a normalised text; all of it if it is shorter."""
    words = normalised.split()
    return frozenset(
        tuple(words[i : i + 3]) for i in range(max(1, len(words) - 2)) if words
    )


class NearDuplicates:
    """Pairs, in which near-duplicates of others are looked up.

    Args:
        pairs: Source and title of each.
    """

    def __init__(self, pairs: Iterable[Pair]) -> None:
        """Index the pairs."""
        self._sources: set[str] = set()
        self._titles: set[str] = set()
        self._sizes: list[int] = []
        self._with: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for source, title in pairs:
            words = normalise(source)
            self._sources.add(words)
            self._titles.add(normalise(title))
            found = trigrams(words)
            for trigram in found:
                self._with[trigram].append(len(self._sizes))
            self._sizes.append(len(found))

    def reason(self, source: str, title: str) -> str | None:
        """Say why a pair is a near-duplicate of one of the pairs.

        Args:
            source: Its source.
            title: Its title.

        Returns:
            ``same source``, ``same title`` or ``similar source``; ``None`` if it is
            none.
        """
        words = normalise(source)
        if words in self._sources:
            return "same source"
        if normalise(title) in self._titles:
            return "same title"
        return "similar source" if self._resembles(trigrams(words)) else None

    def _resembles(self, found: frozenset[tuple[str, ...]]) -> bool:
        shared = Counter(
            other for trigram in found for other in self._with.get(trigram, ())
        )
        return any(
            count >= RESEMBLANCE * (len(found) + self._sizes[other] - count)
            for other, count in shared.items()
        )
