"""Tokenised files to files of subword units."""

from __future__ import annotations

import functools
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from alone_experiments import files, lines
from alone_experiments.corpora.filters import PairFilter
from alone_experiments.corpora.parallel import ordered_map
from alone_experiments.corpora.progress import line_bar
from alone_experiments.corpora.segmentation import SEGMENTATIONS

CHUNK = 2000
"""Lines, or pairs, that a worker takes at once."""


@dataclass(frozen=True)
class Splitter:
    """A segmentation that was learnt.

    Attributes:
        name: Key of ``SEGMENTATIONS``.
        model: What it learnt.
        vocabulary: Units to keep to, or ``None``.
    """

    name: str
    model: Path
    vocabulary: Path | None = None

    def split(self, chunk: list[bytes]) -> list[str]:
        """Split the words of UTF-8 lines."""
        segmentation = SEGMENTATIONS[self.name]
        return [
            segmentation.split(line.decode(), self.model, self.vocabulary)
            for line in chunk
        ]


@dataclass(frozen=True)
class _Pairs:
    """What a worker made of a chunk of pairs; two sides each."""

    texts: tuple[bytes, bytes]
    units: tuple[Counter[str], Counter[str]]
    pairs: int
    left_out: Counter[str]


@dataclass(frozen=True)
class TrainingSet:
    """What became of the pairs of a training set.

    Attributes:
        pairs: Pairs that were read.
        left_out: Pairs that were left out, by reason.
        units: How often each unit occurs in what stays, source and target.
    """

    pairs: int
    left_out: Counter[str]
    units: tuple[Counter[str], Counter[str]]


def _encoded(sentences: list[str]) -> bytes:
    return "".join(f"{sentence}\n" for sentence in sentences).encode()


def _count(sentences: list[str]) -> Counter[str]:
    units = (unit for sentence in sentences for unit in sentence.split(" "))
    return Counter(unit for unit in units if unit)


def _split_pairs(
    splitter: Splitter, limits: PairFilter, chunk: tuple[list[bytes], list[bytes]]
) -> _Pairs:
    sources, targets, left_out = limits.split(*map(splitter.split, chunk))
    return _Pairs(
        (_encoded(sources), _encoded(targets)),
        (_count(sources), _count(targets)),
        len(chunk[0]),
        left_out,
    )


def split_training_set(
    tokens: tuple[Path, Path],
    units: tuple[Path, Path],
    splitter: Splitter,
    limits: PairFilter,
    workers: int,
) -> TrainingSet:
    """Split the words of a parallel text and leave out pairs over the limits.

    Args:
        tokens: Tokenised text, source and target.
        units: The files to write.
        splitter: The segmentation.
        limits: Which pairs stay.
        workers: Processes.

    Returns:
        What was found.

    Raises:
        Mistake: If the text is not parallel or a file cannot be written.
    """
    total, left_out = 0, Counter[str]()
    counts = (Counter[str](), Counter[str]())
    work = functools.partial(_split_pairs, splitter, limits)
    chunks = lines.pair_chunks(*tokens, CHUNK)
    with (
        line_bar(lines.count_lines(tokens[0]), "splitting words") as bar,
        files.writing(units[0]) as source,
        files.writing(units[1]) as target,
    ):
        for result in ordered_map(work, chunks, workers):
            source.write(result.texts[0])
            target.write(result.texts[1])
            for count, found in zip(counts, result.units, strict=True):
                count.update(found)
            left_out.update(result.left_out)
            total += result.pairs
            bar.update(result.pairs)
    return TrainingSet(total, left_out, counts)


def split_file(tokens: Path, units: Path, splitter: Splitter) -> None:
    """Split the words of a small file, of which no line is left out.

    Args:
        tokens: Tokenised text.
        units: The file to write.
        splitter: The segmentation.

    Raises:
        Mistake: If the file cannot be written.
    """
    with files.writing(units) as file:
        for chunk in lines.chunks(tokens, CHUNK):
            file.write(_encoded(splitter.split(chunk)))
