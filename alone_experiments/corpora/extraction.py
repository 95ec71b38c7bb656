"""Texts out of compressed archives, without unpacking those to disk."""

from __future__ import annotations

import gzip
import re
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

from alone_experiments.lines import BLOCK, DamagedFileError
from alone_experiments.mistakes import Mistake


def extract(archive: Path, outputs: Mapping[str, IO[bytes]]) -> dict[str, int]:
    r"""Copy texts out of a ``.tgz`` file, which is read once, to its checksum.

    Args:
        archive: The archive.
        outputs: Where to write each member, by its name in the archive. Every line that
            is written ends with ``\n``.

    Returns:
        The number of lines of each member.

    Raises:
        DamagedFileError: If that is what it is.
        Mistake: If it has no such member.
    """
    found: dict[str, int] = {}
    try:
        with (
            gzip.open(archive) as content,
            tarfile.open(fileobj=content, mode="r|") as members,
        ):
            for member in members:
                name = member.name.removeprefix("./")
                text = members.extractfile(member) if name in outputs else None
                if text is not None:
                    found[name] = _copy(text, name, outputs[name])
            # The checksum is at the end.
            while content.read(BLOCK):
                pass
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise DamagedFileError(
            f"{archive} is damaged ({error}); get it again"
        ) from error
    missing = sorted(set(outputs) - set(found))
    if missing:
        raise Mistake(f"{archive} has no file {', '.join(missing)}")
    return found


def _copy(text: IO[bytes], name: str, output: IO[bytes]) -> int:
    if name.endswith(".sgm"):
        lines = 0
        for segment in segments(text, name):
            output.write(segment + b"\n")
            lines += 1
        return lines
    return _copy_lines(text, output)


def _copy_lines(text: IO[bytes], output: IO[bytes]) -> int:
    lines, last = 0, b"\n"
    while block := text.read(BLOCK):
        output.write(block)
        lines += block.count(b"\n")
        last = block[-1:]
    # Else the next text would begin within this one's last line.
    if last != b"\n":
        output.write(b"\n")
        lines += 1
    return lines


def segments(text: IO[bytes], name: str) -> Iterator[bytes]:
    """Read the sentences of one of WMT's test sets, as sacreBLEU reads them.

    The format looks like SGML and is not: ``&`` stands for itself, and every segment is
    a line.

    Args:
        text: The file.
        name: Its name, for a message.

    Yields:
        The sentences, white space made single spaces.

    Raises:
        Mistake: If a segment does not end on its line or is not UTF-8.
    """
    for number, line in enumerate(text, 1):
        if line.startswith(b"<seg "):
            found = re.search(rb"<seg.*?>(.*)</seg>", line)
            if found is None:
                raise Mistake(f"{name} line {number}: a <seg> without its </seg>")
            try:
                yield " ".join(found[1].decode().split()).encode()
            except UnicodeDecodeError as error:
                raise Mistake(f"{name} line {number} is not UTF-8 text") from error
