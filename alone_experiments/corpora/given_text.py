"""Text files as users have them: plain, compressed, from Windows."""

from __future__ import annotations

import gzip
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import IO, cast

from alone_experiments.corpora.progress import byte_bar
from alone_experiments.lines import BLOCK
from alone_experiments.mistakes import Mistake


class DamagedFileError(Mistake):
    """A compressed file that cannot be read to its end."""


def find(folder: Path, name: str) -> Path | None:
    """Find ``name`` or ``name.gz`` in a folder."""
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    return None


def needed(folder: Path, names: Sequence[str]) -> list[Path]:
    """Find files that must all be there, each as it is or with ``.gz``.

    Raises:
        Mistake: If one is not; it names them all.
    """
    found = [find(folder, name) for name in names]
    if None in found:
        name = names[found.index(None)]
        raise Mistake(
            f"{folder} has no file {name} or {name}.gz; it needs {' and '.join(names)}"
        )
    return [path for path in found if path is not None]


@contextmanager
def opened(path: Path, member: str = "") -> Iterator[IO[bytes]]:
    """Open a file to read its text.

    Args:
        path: Compressed if its name ends in ``.gz`` or ``.zip``.
        member: Name of the text in a ``.zip`` file.

    Yields:
        The text.

    Raises:
        DamagedFileError: If that is what it is, also while it is being read; the
            checksums of compressed files are at their ends.
    """
    try:
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as files:
                if member not in files.namelist():
                    raise zipfile.BadZipFile("no such member")
                with files.open(member) as text:
                    yield text
        elif path.suffix == ".gz":
            with gzip.open(path) as text:
                yield cast(IO[bytes], text)
        else:
            with path.open("rb") as text:
                yield text
    except (EOFError, gzip.BadGzipFile, zipfile.BadZipFile, zlib.error) as error:
        without = f" or has no {member}" if path.suffix == ".zip" else ""
        raise DamagedFileError(
            f"{path} is damaged{without} ({error}); get it again"
        ) from error


def text_blocks(path: Path, member: str = "") -> Iterator[bytes]:
    """Read the text of a file by blocks; for the arguments and errors see `opened`."""
    with opened(path, member) as text:
        while block := text.read(BLOCK):
            yield block


def text_lines(path: Path, progress: bool = False) -> Iterator[str]:
    """Read a UTF-8 text file line by line; only a line feed ends a line.

    Args:
        path: The file, gzipped if its name ends in ``.gz``.
        progress: Show how far the reading is.

    Yields:
        Each line without its end; the carriage return of Windows' line ends, and the
        byte order mark of its editors, are gone too.

    Raises:
        Mistake: If the file is damaged or a line is not UTF-8; it names them.
    """
    with opened(path) as text, byte_bar(None, path.name, shown=progress) as bar:
        for number, line in enumerate(text, start=1):
            yield _decoded(line, number, path)
            bar.update(len(line))


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
        Mistake: If they differ in their number of lines, or as in :func:`text_lines`.
    """
    readers = [text_lines(path, progress and i == 0) for i, path in enumerate(paths)]
    for count, row in enumerate(zip_longest(*readers)):
        if None in row:
            longer = next(i for i, line in enumerate(row) if line is not None)
            raise Mistake(
                f"{paths[row.index(None)]} has {count} lines, {paths[longer]} has more:"
                " line N of one must belong to line N of the other"
            )
        yield row
