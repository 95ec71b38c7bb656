"""Prepared reviews: a label and words, in files of one review a line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from alone_experiments.files import writing
from alone_experiments.lines import read_lines
from alone_experiments.mistakes import Mistake
from alone_experiments.word_vectors.word_vectors import WordVectors

Rows = npt.NDArray[np.int64]


class Review(NamedTuple):
    """A review.

    Attributes:
        label: 1 for a positive one, 0 for a negative one.
        words: Its words.
    """

    label: int
    words: list[str]


class Encoded(NamedTuple):
    """Reviews as rows of a table of vectors.

    Attributes:
        labels: 1 or 0, ``(N,)``.
        rows: The rows of each review's words, at least one; ``N`` arrays.
    """

    labels: Rows
    rows: list[Rows]

    def choose(self, which: Sequence[int] | Rows) -> Encoded:
        """Take some reviews, in the order given."""
        return Encoded(self.labels[which], [self.rows[i] for i in which])


def write_reviews(reviews: Iterable[Review], path: Path) -> None:
    """Write a file: label, a tab, the words with a blank between them.

    Raises:
        Mistake: If it cannot be written.
    """
    with writing(path) as file:
        for label, words in reviews:
            file.write(f"{label}\t{' '.join(words)}\n".encode())


def read_reviews(path: Path) -> list[Review]:
    """Read what :func:`write_reviews` wrote.

    Raises:
        Mistake: If it cannot be read, or a line is no review; the text names it.
    """
    found = []
    for number, line in enumerate(read_lines(path, "\n"), 1):
        label, tab, words = line.partition("\t")
        if label not in ("0", "1") or not tab:
            raise Mistake(
                f"{path}, line {number}: must be 0 or 1, a tab and words: make the file"
                " with alone-fairseq sentiment prepare"
            )
        found.append(Review(int(label), words.split(" ") if words else []))
    if not found:
        raise Mistake(f"{path}: holds no reviews")
    return found


def encode(reviews: Sequence[Review], vectors: WordVectors, longest: int) -> Encoded:
    """Look up the words of reviews.

    Args:
        reviews: The reviews.
        vectors: ``V`` words with vectors.
        longest: Words of a review that count, from its beginning; those without a
            vector are left out after that.

    Returns:
        Their rows; a review without any known word has row ``V`` alone.
    """
    known: dict[str, int | None] = {}
    rows = []
    for _, words in reviews:
        own = []
        for word in words[:longest]:
            if word not in known:
                known[word] = vectors.find(word)
            if (row := known[word]) is not None:
                own.append(row)
        rows.append(np.array(own or [len(vectors.words)], np.int64))
    return Encoded(np.array([review.label for review in reviews], np.int64), rows)
