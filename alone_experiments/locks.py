"""Folders in which one program works at a time."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from alone_experiments.mistakes import Mistake, explain

SECONDS_TO_WAIT = 10.0


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Work alone in a folder, which is made where needed.

    The lock holds until this program and all that it started have ended: what a killed
    program leaves behind may still be writing.

    Args:
        folder: It gets a file ``lock``. If nothing else is in it after an error, it is
            removed, and so are the folders above that were made for it.

    Raises:
        Mistake: If another program works there and does not end within seconds, or the
            folder cannot be made.
    """
    made = [each for each in (folder, *folder.parents) if not each.exists()]
    file = _take(folder)
    try:
        yield
    except Exception:
        _remove_unused(folder, made)
        raise
    finally:
        os.close(file)


def _take(folder: Path) -> int:
    end = time.monotonic() + SECONDS_TO_WAIT
    while True:
        file = _open(folder)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise Mistake(
                    f"another run is working in {folder}; wait for it, or stop it"
                ) from None
        else:
            # Who had it before may have removed it: then it keeps nobody out.
            if os.fstat(file).st_nlink:
                os.set_inheritable(file, True)
                return file
        os.close(file)
        time.sleep(0.1)


def _open(folder: Path) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise Mistake(f"cannot write {explain(error, folder)}") from error


def _remove_unused(folder: Path, made: list[Path]) -> None:
    if os.listdir(folder) == ["lock"]:
        (folder / "lock").unlink()
        with contextlib.suppress(OSError):
            for each in made:
                each.rmdir()
