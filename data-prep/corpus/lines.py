r"""Text files as lines that end with \n and with nothing else.

Python's text mode, and ``str.splitlines``, also end a line at a lone carriage return or
at separators such as U+2028, which occur inside the sentences of crawled corpora: one
of them would shift all that follows against the other language.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import IO

from .errors import CorpusError, explain

BLOCK = 1 << 20


def partial(path: Path) -> Path:
    """Return the name of a file that is not finished."""
    return path.with_name(path.name + ".partial")


@contextlib.contextmanager
def writing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that gets its name when it is whole.

    Args:
        path: Its final name; its folder is made.

    Yields:
        The file under a provisional name, which is removed if anything goes wrong.

    Raises:
        CorpusError: If it cannot be written, on a full disk for example.
    """
    unfinished = partial(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("wb") as file:
            yield file
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise CorpusError(explain(error, error.filename or path)) from error
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def count_lines(path: Path) -> int:
    """Count the lines of a file, a last one without its end included."""
    lines, last = 0, b"\n"
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            lines += block.count(b"\n")
            last = block[-1:]
    return lines + (last != b"\n")


def sha256(path: Path) -> str:
    """Compute the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def chunks(path: Path, size: int) -> Iterator[list[bytes]]:
    r"""Read a file by lists of lines.

    Args:
        path: The file.
        size: Lines in each list; the last one may be shorter.

    Yields:
        Lists of lines without their ``\n``.
    """
    with path.open("rb") as file:
        while lines := [line.removesuffix(b"\n") for line in islice(file, size)]:
            yield lines


def pair_chunks(
    source: Path, target: Path, size: int
) -> Iterator[tuple[list[bytes], list[bytes]]]:
    """Read two parallel files in step.

    Args:
        source: One side.
        target: The other side.
        size: Pairs in each chunk; the last one may be shorter.

    Yields:
        As many lines of the one as of the other.

    Raises:
        CorpusError: If one ends before the other.
    """
    none: list[list[bytes]] = [[]]
    others = chain(chunks(target, size), none)
    for lines in chain(chunks(source, size), none):
        other = next(others, [])
        if len(lines) != len(other):
            raise CorpusError(
                f"{source} has {count_lines(source)} lines and {target}"
                f" {count_lines(target)}; they must be parallel, line by line"
            )
        if lines:
            yield lines, other
