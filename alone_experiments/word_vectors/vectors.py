"""Files of word vectors, plain or gzipped, read as a stream.

``glove``: lines ``word v1 ... vD``. ``word2vec``: the same after a header ``N D``; the
``.vec`` files of fastText are that too. ``word2vec-binary``: the header, then each
word, a blank and ``D`` float32 numbers, little-endian.
"""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import re
import sys
import zlib
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from alone_experiments.files import writing
from alone_experiments.mistakes import Mistake
from alone_experiments.word_vectors.vector_records import (
    Header,
    Record,
    binary_records,
    parse_numbers,
    text_records,
)
from alone_experiments.word_vectors.word_vectors import Floats, WordVectors

FORMATS = ("glove", "word2vec", "word2vec-binary")
_ZIP = b"PK\x03\x04"
_PEEKED = 4096
_NO_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1f]")


@dataclass(frozen=True)
class VectorFile:
    """A file of word vectors and how to read it.

    Attributes:
        path: The file.
        form: One of ``FORMATS``, or ``auto``.
    """

    path: Path
    form: str = "auto"

    def words(self, limit: int | None = None) -> list[str]:
        """Read the words alone; see :meth:`read`."""
        return [record.word for record in self._records(limit)]

    def read(
        self, limit: int | None = None, wanted: Container[str] | None = None
    ) -> WordVectors:
        """Read words and vectors.

        A repeated word keeps its first vector, as in gensim, and is told of on the
        error stream. What stands before a line's last ``D`` fields is the word, so
        that words with blanks, as in GloVe's largest file, are read as they are.

        Args:
            limit: Stop after this many words; ``None`` reads to the end.
            wanted: Only these words; numbers of the others are not looked at.

        Returns:
            The words in the order of the file.

        Raises:
            Mistake: If the file is missing, damaged or malformed, or holds fewer
                words than ``limit``; the text names the line.
        """
        words: list[str] = []
        rows: list[Floats] = []
        for record in self._records(limit):
            if wanted is None or record.word in wanted:
                words.append(record.word)
                rows.append(parse_numbers(record, self.path))
        vectors = np.stack(rows) if rows else np.zeros((0, 0), np.float32)
        return WordVectors(words, vectors)

    def _records(self, limit: int | None) -> Iterator[Record]:
        seen: set[str] = set()
        for record in self._all_records():
            if record.word in seen:
                print(
                    f"{self.path}, {record.place}: '{record.word}' comes again; its"
                    " first vector is kept",
                    file=sys.stderr,
                )
                continue
            seen.add(record.word)
            yield record
            if len(seen) == limit:
                return
        if not seen:
            raise Mistake(f"{self.path}: holds no vectors")
        if limit is not None:
            raise Mistake(
                f"{self.path}: holds {len(seen):,} words, {limit:,} were asked for:"
                " ask for fewer with --words"
            )

    def _all_records(self) -> Iterator[Record]:
        place = "the start"
        with _open(self.path) as stream:
            try:
                for record in self._records_of(stream):
                    place = record.place
                    yield record
            except (EOFError, zlib.error, gzip.BadGzipFile):
                raise Mistake(
                    f"{self.path}: the gzip file is cut off or damaged after {place}:"
                    " get it again"
                ) from None

    def _records_of(self, stream: io.BufferedReader) -> Iterator[Record]:
        start = stream.peek(_PEEKED)[:_PEEKED]
        if start.startswith(codecs.BOM_UTF8):
            start = start[len(stream.read(len(codecs.BOM_UTF8))) :]
        form = detect(start, self.path) if self.form == "auto" else self.form
        header = None if form == "glove" else Header.read(stream, self.path)
        if form == "word2vec-binary" and header is not None:
            return binary_records(stream, self.path, header)
        return text_records(stream, self.path, header)


def is_torch(start: bytes) -> bool:
    """Whether a file that starts so is one of torch's: an archive with a pickle."""
    return start.startswith(_ZIP) and b"/data.pkl" in start[:256]


def detect(start: bytes, path: Path) -> str:
    """Guess the format of a file.

    Args:
        start: Its first bytes, unpacked.
        path: Its name, for messages.

    Returns:
        ``glove`` where the first line is no header ``N D``; else ``word2vec-binary``
        where control characters or broken UTF-8 follow, ``word2vec`` where not.

    Raises:
        Mistake: If the file is empty or of a known other kind.
    """
    if not start:
        raise Mistake(f"{path}: is empty")
    if is_torch(start):
        raise Mistake(
            f"{path}: holds what PyTorch saved, no vectors of words: name what"
            " alone-fairseq reconstruct wrote to its --vectors-out"
        )
    if start.startswith(_ZIP):
        raise Mistake(f"{path}: is a zip archive: unpack it and name the file in it")
    first, _, rest = start.partition(b"\n")
    if not Header.matches(first):
        return "glove"
    # The last character may be cut in two.
    with contextlib.suppress(UnicodeDecodeError):
        rest[: max(0, rest.rfind(b" "))].decode()
        if not _NO_TEXT.search(rest):
            return "word2vec"
    return "word2vec-binary"


def _open(path: Path) -> io.BufferedReader:
    try:
        with path.open("rb") as start:
            packed = start.read(2) == b"\x1f\x8b"
        return io.BufferedReader(gzip.open(path)) if packed else path.open("rb")
    except OSError as error:
        raise Mistake(f"{path}: cannot be read: {error.strerror}") from None


def write_word2vec(vectors: WordVectors, path: Path) -> None:
    """Write word2vec's text format; the file appears whole or not at all.

    Args:
        vectors: Words and vectors; numbers are written so that float32 comes back.
        path: The file.

    Raises:
        Mistake: If it cannot be written.
    """
    with writing(path) as file:
        file.write(f"{len(vectors.words)} {vectors.dim}\n".encode())
        file.writelines(line.encode() for line in _text_lines(vectors))


def _text_lines(vectors: WordVectors) -> Iterable[str]:
    for word, vector in zip(vectors.words, vectors.vectors, strict=True):
        yield f"{word} {' '.join(map(str, vector))}\n"
