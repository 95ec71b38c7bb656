"""The records of files of word vectors: a word and its numbers, not yet parsed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

import numpy as np

from alone_experiments.mistakes import Mistake
from alone_experiments.word_vectors.word_vectors import Floats

LONGEST_LINE = 1 << 22
LONGEST_WORD = 1 << 12
_HEADER = re.compile(rb"(\d{1,12}) (\d{1,6})[ \r]*")
# No blank but the ASCII one separates: GloVe has words with others in them.
_BLANK = b" "


@dataclass(frozen=True)
class Record:
    """A word and its vector as they stand in the file.

    Attributes:
        word: The word.
        numbers: ``D`` fields of text, or the bytes of ``D`` float32 numbers.
        place: Where it stands, for messages.
    """

    word: str
    numbers: list[bytes] | bytes
    place: str


@dataclass(frozen=True)
class Header:
    """The first line of word2vec's formats: number of words and vector size."""

    words: int
    dim: int

    @staticmethod
    def matches(line: bytes) -> bool:
        """Whether a line looks like a header."""
        return _HEADER.fullmatch(line) is not None

    @classmethod
    def read(cls, stream: BufferedReader, path: Path) -> Header:
        """Read the header.

        Raises:
            Mistake: If the first line is none.
        """
        line = _read_line(stream, path, 1)
        found = _HEADER.fullmatch(line.rstrip(b"\n"))
        if found is None:
            raise Mistake(
                f"{path}, line 1: {_shorten(line.strip())} is no header of two numbers,"
                " words and vector size; files without one are --format glove"
            )
        header = cls(int(found[1]), int(found[2]))
        if header.words < 1 or header.dim < 1:
            raise Mistake(f"{path}, line 1: the header says that there is nothing")
        return header

    def check_count(self, found: int, path: Path) -> None:
        """Refuse a file that ends before it has all the words of its header."""
        if found < self.words:
            raise Mistake(
                f"{path}: ends after {found:,} of the {self.words:,} words that its"
                " header names: it is cut off, or the header is wrong"
            )


def text_records(
    stream: BufferedReader, path: Path, header: Header | None
) -> Iterator[Record]:
    """Read lines of text.

    Args:
        stream: Stands after the header, if there is one.
        path: Name of the file, for messages.
        header: The header; without one the first line tells ``D``.

    Raises:
        Mistake: If a line is malformed, or lines are missing or left over.
    """
    dim, count = (header.dim, 0) if header else (0, 0)
    number = 2 if header else 1
    while line := _read_line(stream, path, number):
        if header and count == header.words:
            raise Mistake(
                f"{path}, line {number}: more lines than the {header.words:,} words"
                " that the header names"
            )
        fields = line.rstrip(b" \r\n").split(_BLANK)
        dim = dim or len(fields) - 1
        yield _text_record(fields, dim, f"line {number}", path, header)
        count, number = count + 1, number + 1
    if header:
        header.check_count(count, path)


def _text_record(
    fields: list[bytes], dim: int, place: str, path: Path, header: Header | None
) -> Record:
    said_by = "the header" if header else "line 1"
    extra = fields[1 : len(fields) - dim]
    if dim < 1 or len(fields) <= dim or (extra and all(map(_is_number, extra))):
        raise Mistake(
            f"{path}, {place}: has {len(fields) - 1} numbers after its word, not"
            f" {dim or 'one or more'} as {said_by} has"
        )
    word = _decode(_BLANK.join(fields[: len(fields) - dim]), place, path)
    return Record(word, fields[len(fields) - dim :], place)


def binary_records(
    stream: BufferedReader, path: Path, header: Header
) -> Iterator[Record]:
    """Read word2vec's binary records.

    Args:
        stream: Stands after the header.
        path: Name of the file, for messages.
        header: The header.

    Raises:
        Mistake: If the file ends too early or a word is malformed.
    """
    size = 4 * header.dim
    for count in range(header.words):
        place = f"word {count + 1}"
        word = _read_word(stream, place, path)
        numbers = stream.read(size)
        if len(numbers) < size:
            header.check_count(count, path)
        yield Record(_decode(word, place, path), numbers, place)
    if stream.read(2).strip(b"\n"):
        raise Mistake(
            f"{path}: goes on after the {header.words:,} words that its header names"
        )


def _read_word(stream: BufferedReader, place: str, path: Path) -> bytes:
    word = bytearray()
    while (character := stream.read(1)) not in (_BLANK, b""):
        word += character
        if len(word) > LONGEST_WORD:
            raise Mistake(
                f"{path}, {place}: no word is that long; the vector size in the header"
                " is wrong, or the file is text (--format word2vec)"
            )
    # The original program ends each record with a line feed, others do not.
    return bytes(word).lstrip(b"\n")


def parse_numbers(record: Record, path: Path) -> Floats:
    """Turn a record's numbers into a vector.

    Returns:
        Vector, float32, ``(D,)``.

    Raises:
        Mistake: If a field is no number, or a number is not finite in float32.
    """
    if isinstance(record.numbers, bytes):
        vector: Floats = np.frombuffer(record.numbers, "<f4").astype(np.float32)
    else:
        try:
            values = list(map(float, record.numbers))
        except ValueError:
            wrong = next(field for field in record.numbers if not _is_number(field))
            raise Mistake(
                f"{path}, {record.place}: {_shorten(wrong)} is no number"
            ) from None
        with np.errstate(over="ignore"):
            vector = np.array(values, dtype=np.float32)
    if not np.isfinite(vector).all():
        raise Mistake(
            f"{path}, {record.place}: the vector of '{record.word}' has a value that is"
            " not finite (NaN or infinity): remove the word"
        )
    return vector


def _read_line(stream: BufferedReader, path: Path, number: int) -> bytes:
    line = stream.readline(LONGEST_LINE)
    if len(line) == LONGEST_LINE:
        raise Mistake(
            f"{path}, line {number}: is longer than {LONGEST_LINE:,} bytes, so this is"
            " no text file; binary ones are --format word2vec-binary"
        )
    return line


def _decode(word: bytes, place: str, path: Path) -> str:
    try:
        text = word.decode()
    except UnicodeDecodeError:
        raise Mistake(
            f"{path}, {place}: the word {_shorten(word)} is not UTF-8"
        ) from None
    if not text:
        raise Mistake(f"{path}, {place}: there is no word before the numbers")
    return text


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _shorten(text: bytes) -> str:
    shown = repr(text[:40])[1:]
    return f"{shown}…" if len(text) > 40 else shown
