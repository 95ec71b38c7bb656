"""Lists of words, with or without counts, that say which vectors are wanted."""

from __future__ import annotations

import re
from pathlib import Path

from alone_experiments.lines import read_lines
from alone_experiments.mistakes import Mistake
from alone_experiments.word_vectors.vectors import VectorFile
from alone_experiments.word_vectors.word_vectors import WordVectors

_OVERWRITE = "#fairseq:overwrite"
"""What follows the count of a special symbol in a dictionary of fairseq's."""

_BLANKS = " \t\r\n"
"""What separates words; the rarer white space of Unicode occurs within words."""


def read_text_lines(path: Path) -> list[str]:
    """Read the lines of a text file, without blanks at their ends and byte order mark.

    Raises:
        Mistake: If it cannot be read, is not UTF-8, or is empty.
    """
    lines = read_lines(path, _BLANKS)
    if not any(lines):
        raise Mistake(f"{path}: is empty")
    lines[0] = lines[0].removeprefix("\ufeff")
    return lines


def words_of(line: str) -> list[str]:
    """Split a line at its blanks."""
    return [word for word in re.split(f"[{_BLANKS}]+", line) if word]


def read_word_list(path: Path) -> list[str]:
    """Read words, one a line, or ``word count`` lines of a corpus.

    Args:
        path: Text file, such as the dictionary of a corpus.

    Returns:
        Different words: with counts, the most frequent first; words of the same count,
        and all words without counts, in the order of the file.

    Raises:
        Mistake: If some lines have counts and others not, or a line has more.
    """
    counts = read_word_counts(path, needed=False)
    return sorted(counts, key=lambda word: -counts[word])


def read_word_counts(path: Path, needed: bool = True) -> dict[str, int]:
    """Read words with their counts, such as a dictionary of ``fairseq-preprocess``.

    Args:
        path: Text file of ``word count`` lines.
        needed: Whether a list without counts is refused; they are 0 if it is not.

    Returns:
        Counts by word, in the order of the file; of a repeated word the largest.

    Raises:
        Mistake: As of :func:`read_word_list`.
    """
    fields = [words_of(line.removesuffix(_OVERWRITE)) for line in read_text_lines(path)]
    counted = needed or len(next(filter(None, fields), [])) == 2
    counts: dict[str, int] = {}
    for number, parts in enumerate(fields, 1):
        if not parts:
            continue
        if len(parts) != 1 + counted or (counted and not parts[1].isdecimal()):
            kind = "a word and its count" if counted else "one word"
            why = "" if needed or not counts else ", as the first line is"
            raise Mistake(f"{path}, line {number}: must be {kind}{why}")
        count = int(parts[1]) if counted else 0
        counts[parts[0]] = max(count, counts.get(parts[0], 0))
    if not counts:
        raise Mistake(f"{path}: is empty")
    return counts


def read_chosen(file: VectorFile, words: list[str], limit: int | None) -> WordVectors:
    """Read the vectors of the first words of a list that have one.

    Args:
        file: The vectors; read twice, so that no more of them are held than asked for.
        words: Wanted words, the most wanted first.
        limit: How many vectors are wanted; ``None`` takes all.

    Returns:
        Words and vectors in the order of ``words``.

    Raises:
        Mistake: If fewer than ``limit`` of the words have vectors, or none has.
    """
    known = set(file.words())
    chosen = [word for word in words if word in known][:limit]
    if not chosen or (limit is not None and len(chosen) < limit):
        raise Mistake(
            f"{file.path}: has vectors for {len(chosen):,} of the {len(words):,} listed"
            f" words, {limit or 1:,} were asked for"
        )
    found = file.read(wanted=set(chosen))
    return found.rows([found.exact[word] for word in chosen])
