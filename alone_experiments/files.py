"""Files and folders that are either whole or not there."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from alone_experiments.mistakes import Mistake, explain

_STREAMS = {"stdout": 1, "stderr": 2}
_OPEN_FILE = re.compile(r"/dev/(stdout|stderr)|/(?:dev|proc/self)/fd/(\d+)")

UNFINISHED = ".partial"
"""The ending of what is not finished, or was left behind by a kill."""


def partial(path: Path) -> Path:
    """Return the name of a file or folder that is not finished."""
    return path.with_name(f"{path.name}{UNFINISHED}")


@contextlib.contextmanager
def writing(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file that gets its name when it is whole.

    A symbolic link is followed. What is no regular file, such as a device or a pipe,
    is written to as it stands, since giving it a name would destroy it.

    Args:
        path: Its final name; its folder is made, and a file of that name replaced.

    Yields:
        The file under a provisional name, which is removed if anything goes wrong.

    Raises:
        Mistake: If it cannot be written, on a full disk for example.
    """
    path = Path(path)
    if path.exists() and not path.is_dir() and not _is_ordinary(path):
        with _explained(path), _open_stream(path) as file:
            yield file
        return
    final = path.resolve() if path.is_symlink() else path
    unfinished = partial(final)
    with _explained(path):
        try:
            final.parent.mkdir(parents=True, exist_ok=True)
            with unfinished.open("wb") as file:
                yield file
            unfinished.replace(final)
        except BaseException:
            with contextlib.suppress(OSError):
                unfinished.unlink(missing_ok=True)
            raise


def _is_ordinary(path: Path) -> bool:
    # /dev/stdout may lead to a regular file, which the shell has open.
    return path.is_file() and not str(path).startswith(("/dev/", "/proc/"))


def _open_stream(path: Path) -> IO[bytes]:
    number = _OPEN_FILE.fullmatch(str(path))
    if number is None:
        return path.open("ab")
    # Opened anew, a regular file would be written from a position of its own, and what
    # is printed next would overwrite it.
    sys.stdout.flush()
    name = number[1] or number[2]
    return os.fdopen(os.dup(_STREAMS.get(name) or int(name)), "wb")


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        named = error.filename and Path(error.filename) != partial(path)
        line = explain(error, error.filename if named else path)
        raise Mistake(f"cannot write {line}") from error


def refuse_to_replace(
    inputs: Iterable[Path | str | None], outputs: Iterable[Path | str | None]
) -> None:
    """Refuse a file that one command reads and writes, or writes twice.

    Args:
        inputs: What is read; ``None`` for what was not named.
        outputs: What is to be written, likewise.

    Raises:
        Mistake: If one would take the place of what it is made of, or of another.
    """
    there = {Path(path).resolve() for path in inputs if path is not None}
    written = [Path(path) for path in outputs if path is not None]
    refuse_twice(path for path in written if path.exists() is path.is_file())
    for path in written:
        if path.resolve() in there:
            raise Mistake(
                f"{path}: would replace what it is made of: name another file"
            )


def refuse_twice(paths: Iterable[Path]) -> None:
    """Refuse a file that is named more than once, also by another path.

    Raises:
        Mistake: In one line that names it.
    """
    seen = set()
    for path in paths:
        if path.resolve() in seen:
            raise Mistake(f"{path}: is given twice")
        seen.add(path.resolve())


def refuse_same_names(paths: Iterable[Path]) -> None:
    """Refuse files of one name in two folders, where the name is what they are called.

    Raises:
        Mistake: In one line that names both, or the one that is named twice.
    """
    seen: dict[str, Path] = {}
    paths = [*paths]
    refuse_twice(paths)
    for path in paths:
        if path.name in seen:
            raise Mistake(
                f"{seen[path.name]} and {path} have one name, by which results are"
                " kept: give one of them another"
            )
        seen[path.name] = path


def write_text(path: str | Path, text: str) -> None:
    """Write a text file, whole or not at all.

    Args:
        path: The file; one of that name is replaced.
        text: What it shall hold, written as UTF-8 with the line ends as they are.

    Raises:
        Mistake: If it cannot be written.
    """
    with writing(path) as file:
        file.write(text.encode())


def write_json(path: str | Path, content: Any) -> None:
    """Write plain data as JSON, one entry a line, whole or not at all.

    Raises:
        Mistake: If it cannot be written.
    """
    write_text(path, json.dumps(content, indent=1) + "\n")


@contextlib.contextmanager
def writing_folder(path: Path) -> Iterator[Path]:
    """Make a folder that gets its name when all that belongs in it is there.

    Args:
        path: Its final name; a folder of that name is replaced.

    Yields:
        An empty folder under a provisional name. If anything goes wrong it is left
        there, for a reader, until the next try.

    Raises:
        Mistake: If it cannot be written.
    """
    unfinished = partial(path)
    with _explained(path):
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        yield unfinished
        shutil.rmtree(path, ignore_errors=True)
        os.replace(unfinished, path)
