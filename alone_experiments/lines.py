r"""Text files as lines that end with \n and with nothing else.

Python's text mode, and ``str.splitlines``, also end a line at a lone carriage return or
at separators such as U+2028, which occur inside the sentences of crawled corpora: one
of them would shift all that follows against the other language.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import IO, cast

from alone_experiments.files import writing
from alone_experiments.mistakes import Mistake

BLOCK = 1 << 20


class DamagedFileError(Mistake):
    """A compressed file that cannot be read to its end."""


@contextmanager
def opened(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file to read its bytes, and to do nothing else meanwhile.

    Args:
        path: Gzipped if its name ends in ``.gz``.

    Raises:
        Mistake: If it cannot be read; a :class:`DamagedFileError` where it is damaged,
            which shows at the end of gzipped files, where their checksum is.
    """
    try:
        with gzip.open(path) if Path(path).suffix == ".gz" else open(path, "rb") as it:
            yield cast(IO[bytes], it)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DamagedFileError(f"{path} is damaged ({error}); get it again") from error
    except OSError as error:
        raise Mistake(f"cannot read {path}: {error.strerror}") from error


def stream_lines(path: str | Path, space: str | None = None) -> Iterator[str]:
    """Read a text file line by line; for arguments and errors see `read_lines`."""
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            try:
                yield line.decode("utf-8").rstrip(space)
            except UnicodeDecodeError as error:
                raise Mistake(
                    f"{path} line {number} is not UTF-8 text ({error}); convert the"
                    " file, for example with iconv"
                ) from error


def read_lines(path: str | Path, space: str | None = None) -> list[str]:
    """Read a text file, one sentence a line.

    Only a line feed ends a line, as in SacreBLEU: the rarer line separators of
    Unicode occur within sentences of real corpora.

    Args:
        path: UTF-8 file, gzipped if its name ends in ``.gz``.
        space: The characters that do not count at the end of a line; if left out, all
            white space.

    Returns:
        Its lines without the line feed and the white space before it.

    Raises:
        Mistake: If the file cannot be read, is damaged or not UTF-8.
    """
    return [*stream_lines(path, space)]


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
        Mistake: If one ends before the other.
    """
    none: list[list[bytes]] = [[]]
    others = chain(chunks(target, size), none)
    for lines in chain(chunks(source, size), none):
        other = next(others, [])
        if len(lines) != len(other):
            raise Mistake(
                f"{source} has {count_lines(source)} lines and {target}"
                f" {count_lines(target)}; they must be parallel, line by line"
            )
        if lines:
            yield lines, other


def write_parallel(paths: Sequence[Path], rows: Iterable[Sequence[str]]) -> int:
    """Write files side by side, all of them whole or none of them.

    Args:
        paths: The files.
        rows: One line of each; an error that it raises leaves no file behind.

    Returns:
        The number of lines.

    Raises:
        Mistake: If they cannot be written.
    """
    count = 0
    with ExitStack() as stack:
        files = [stack.enter_context(writing(path)) for path in paths]
        for row in rows:
            for text, file in zip(row, files, strict=True):
                file.write(f"{text}\n".encode())
            count += 1
    return count
