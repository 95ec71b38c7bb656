"""Text files as users have them: plain, compressed, from Windows."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import IO

from alone_experiments.corpora.progress import line_bar
from alone_experiments.lines import BLOCK, DamagedFileError, opened, stream_lines
from alone_experiments.mistakes import Mistake


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
def _opened_member(path: Path, member: str) -> Iterator[IO[bytes]]:
    try:
        with zipfile.ZipFile(path) as files:
            if member not in files.namelist():
                raise zipfile.BadZipFile("no such member")
            with files.open(member) as text:
                yield text
    except (EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise DamagedFileError(
            f"{path} is damaged or has no {member} ({error}); get it again"
        ) from error


def text_blocks(path: Path, member: str = "") -> Iterator[bytes]:
    """Read the text of a file by blocks.

    Args:
        path: Compressed if its name ends in ``.gz`` or ``.zip``.
        member: Name of the text in a ``.zip`` file.

    Yields:
        The text.

    Raises:
        DamagedFileError: If that is what it is; the checksums of compressed files are
            at their ends.
    """
    zipped = path.suffix == ".zip"
    with _opened_member(path, member) if zipped else opened(path) as text:
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
    with line_bar(None, path.name, shown=progress) as bar:
        for number, line in enumerate(stream_lines(path, "\r\n")):
            yield line if number else line.removeprefix("\ufeff")
            bar.update()


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
