"""F1 of words by how frequent they are, as compare-mt counts it (Neubig et al., 2019).

A word of a translation is right as often as it stands in the reference of its sentence,
wherever it stands there. METEOR with the words of a bin as its function words, which
Pappas et al. (2018) use, needs METEOR's Java program: its weight for function words is
in no port to Python.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

BINS = (1, 2, 3, 4, 5, 10, 100, 1000)
"""Where the bins of compare-mt begin; the first bin is of what was never seen."""


@dataclass(frozen=True)
class BinScore:
    """What a system does with the words of one bin.

    Attributes:
        reference: Words of the references that are in the bin.
        translation: Words of the translations.
        right: Words of the translations that are right.
    """

    reference: int
    translation: int
    right: int

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall in [0, 1]; 0 where none is right."""
        both = self.reference + self.translation
        return 2 * self.right / both if both else 0.0


def bin_of(count: int, bins: Sequence[int]) -> int:
    """Number the bin of a word by how often it was seen, from 0."""
    return bisect_right(bins, count)


def names_of(bins: Sequence[int]) -> list[str]:
    """Name the bins by the counts in them: ``0``, ``1``, ``5-9``, ``1000+``."""
    starts = [0, *bins]
    names = []
    for start, end in zip(starts, [*bins, None], strict=True):
        if end is None:
            names.append(f"{start}+")
        else:
            names.append(f"{start}" if end == start + 1 else f"{start}-{end - 1}")
    return names


def count_words(lines: Iterable[Sequence[str]]) -> Counter[str]:
    """Count the words of a text."""
    counts: Counter[str] = Counter()
    for words in lines:
        counts.update(words)
    return counts


def score_bins(
    translations: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    counts: Mapping[str, int],
    bins: Sequence[int] = BINS,
) -> list[BinScore]:
    """Score the words of each bin.

    Args:
        translations: Words of each sentence.
        references: Words of its reference, in the same order.
        counts: How often words were seen in training; others never were.
        bins: Where bins begin, in ascending order, from 1 or more.

    Returns:
        One score a bin, that of words that were never seen first.
    """
    totals = [[0] * (len(bins) + 1) for _ in range(3)]
    for translation, reference in zip(translations, references, strict=True):
        said, wanted = Counter(translation), Counter(reference)
        for total, found in zip(totals, (wanted, said, said & wanted), strict=True):
            for word, number in found.items():
                total[bin_of(counts.get(word, 0), bins)] += number
    return [BinScore(*numbers) for numbers in zip(*totals, strict=True)]


def total(scores: Iterable[BinScore]) -> BinScore:
    """Score the words of several bins as one."""
    parts = [(each.reference, each.translation, each.right) for each in scores]
    return BinScore(*map(sum, zip(*parts, strict=True)))


def group_sentences(
    references: Sequence[Sequence[str]],
    counts: Mapping[str, int],
    bins: Sequence[int] = BINS,
) -> list[list[int]]:
    """Group sentences by the bin of the rarest word of their reference.

    Args:
        references: Words of each reference.
        counts: As in :func:`score_bins`.
        bins: As in :func:`score_bins`.

    Returns:
        Numbers of the sentences of each bin; one without words is in none.
    """
    groups: list[list[int]] = [[] for _ in range(len(bins) + 1)]
    for number, words in enumerate(references):
        if words:
            groups[min(bin_of(counts.get(w, 0), bins) for w in words)].append(number)
    return groups
