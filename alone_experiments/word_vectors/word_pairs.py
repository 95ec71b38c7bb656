"""Files of word pairs that people have judged, in the formats they are given out in.

SimLex-999 (tab-separated, a header, the score in the column SimLex999), WordSim-353
(tabs or commas, a header), RG-65 (semicolons), MEN (blanks; the lemma form marks
words as in ``sun-n``), the Stanford rare words RW (tabs, more columns after the
score), and plain ``word1 word2 score``.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

from alone_experiments.mistakes import Mistake, say
from alone_experiments.word_vectors.word_lists import read_text_lines, words_of

_SCORE_COLUMN = 2
_NAMED_SCORE = "simlex999"
_FIRST_COLUMN = "word"
_NOT_FINITE = re.compile("[+-]?(nan|inf|infinity)?", re.IGNORECASE)
_MEN_LEMMA = re.compile(r".+-[nvja]")


@dataclass(frozen=True)
class Pair:
    """Two words and how alike or related people found them."""

    first: str
    second: str
    score: float


def read_pairs(path: Path) -> list[Pair]:
    """Read a file of word pairs.

    Args:
        path: Text in one of the formats of this module; lines that begin with ``#``
            and empty ones are passed over.

    Returns:
        The pairs, in the order of the file.

    Raises:
        Mistake: If the file cannot be read, holds no pairs, or a line has fewer
            than three columns or no score.
    """
    lines = [
        (number, _split(line))
        for number, line in enumerate(read_text_lines(path), 1)
        if line.strip() and not line.startswith("#")
    ]
    column = _SCORE_COLUMN
    if lines and _is_header(lines[0][1]):
        number, header = lines.pop(0)
        names = [name.lower() for name in header]
        column = names.index(_NAMED_SCORE) if _NAMED_SCORE in names else column
        if not names[0].startswith(_FIRST_COLUMN):
            say(f"{path}, line {number}: '{' '.join(header)}' is taken for a header")
    if not lines:
        raise Mistake(f"{path}: holds no word pairs")
    return _without_marks([_pair(fields, column, path, n) for n, fields in lines])


def _is_header(fields: list[str]) -> bool:
    # What has a digit in it, or is called NaN, is a score that went wrong.
    score = fields[_SCORE_COLUMN] if len(fields) > _SCORE_COLUMN else "0"
    return not (any(map(str.isdigit, score)) or _NOT_FINITE.fullmatch(score))


def _split(line: str) -> list[str]:
    separator = next((mark for mark in ";\t," if mark in line), None)
    if separator is None:
        return words_of(line)
    return [field.strip() for field in line.split(separator)]


def _pair(fields: list[str], column: int, path: Path, number: int) -> Pair:
    score = _number(fields[column]) if len(fields) > column else None
    if score is None or not fields[0] or not fields[1]:
        raise Mistake(
            f"{path}, line {number}: must be two words and, in column {column + 1}, a"
            " score"
        )
    return Pair(fields[0], fields[1], score)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _without_marks(pairs: list[Pair]) -> list[Pair]:
    if not all(_MEN_LEMMA.fullmatch(w) for p in pairs for w in (p.first, p.second)):
        return pairs
    return [Pair(pair.first[:-2], pair.second[:-2], pair.score) for pair in pairs]
