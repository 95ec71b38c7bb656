"""Reading given text files, compressed or not, and writing whole ones."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from tqdm import tqdm

from alone_experiments.files import writing
from alone_experiments.mistakes import Mistake


def find(folder: Path, name: str) -> Path | None:
    """Find ``name`` or ``name.gz`` in a folder."""
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    return None


@contextmanager
def _opened(path: Path) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Open a file: the bytes of its text, and the file as it is stored."""
    with path.open("rb") as stored:
        if path.suffix == ".gz":
            with gzip.open(stored) as text:
                yield cast(BinaryIO, text), stored
        else:
            yield stored, stored


def lines(path: Path, progress: bool = False) -> Iterator[str]:
    """Read a UTF-8 text file line by line; only a line feed ends a line.

    Args:
        path: The file, gzipped if its name ends in ``.gz``.
        progress: Show how far the reading is, on a terminal.

    Yields:
        Each line without its end; the carriage return of Windows' line ends, and the
        byte order mark of its editors, are gone too.

    Raises:
        Mistake: If the file is damaged or a line is not UTF-8; it names them.
    """
    disable = None if progress else True
    with (
        _opened(path) as (text, stored),
        tqdm(
            total=path.stat().st_size,
            desc=path.name,
            unit="B",
            unit_scale=True,
            disable=disable,
        ) as bar,
    ):
        for number, line in enumerate(_raw_lines(text, path), start=1):
            yield _decoded(line, number, path)
            if number % 1000 == 0:
                bar.update(stored.tell() - bar.n)


def _raw_lines(text: BinaryIO, path: Path) -> Iterator[bytes]:
    try:
        yield from text
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise Mistake(f"{path} is damaged ({error}); get it again") from error


def _decoded(line: bytes, number: int, path: Path) -> str:
    if number == 1:
        line = line.removeprefix(b"\xef\xbb\xbf")
    try:
        return line.rstrip(b"\r\n").decode("utf-8")
    except UnicodeDecodeError as error:
        raise Mistake(
            f"{path} line {number} is not UTF-8 text; convert the file,"
            " for example with iconv"
        ) from error


def parallel_lines(
    paths: Sequence[Path], progress: bool = False
) -> Iterator[tuple[str, ...]]:
    """Read files side by side.

    Args:
        paths: Files whose lines belong together.
        progress: Show how far the reading is.

    Yields:
        One line of each.

    Raises:
        Mistake: If they differ in their number of lines, or as in :func:`lines`.
    """
    readers = [lines(path, progress and i == 0) for i, path in enumerate(paths)]
    for count, row in enumerate(zip_longest(*readers)):
        if None in row:
            longer = next(i for i, line in enumerate(row) if line is not None)
            raise Mistake(
                f"{paths[row.index(None)]} has {count} lines, {paths[longer]} has more:"
                " line N of one must belong to line N of the other"
            )
        yield row


@contextmanager
def written_whole(*paths: Path) -> Iterator[list[TextIO]]:
    """Write text files that are either whole or not there.

    Args:
        paths: The files; folders are made.

    Yields:
        Open files under temporary names, which are renamed at the end.
    """
    with ExitStack() as stack:
        files = [stack.enter_context(writing(path)) for path in paths]
        texts = [
            io.TextIOWrapper(file, encoding="utf-8", newline="\n") for file in files
        ]
        yield cast(list[TextIO], texts)
        for text in texts:
            text.detach()  # flushed, and left for its owner to close
