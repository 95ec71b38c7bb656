"""Folders in which one program works at a time."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from alone_experiments.mistakes import Mistake

SECONDS_TO_WAIT = 10.0


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Work alone in a folder, which is made where needed.

    The lock holds until this program and all that it started have ended: what a killed
    program leaves behind may still be writing.

    Args:
        folder: It gets a file ``lock``.

    Raises:
        Mistake: If another program works there and does not end within seconds.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _take(file, folder)
        os.set_inheritable(file, True)
        yield
    finally:
        os.close(file)


def _take(file: int, folder: Path) -> None:
    end = time.monotonic() + SECONDS_TO_WAIT
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > end:
                raise Mistake(
                    f"another run is working in {folder}; wait for it, or stop it"
                ) from None
        time.sleep(0.1)
