"""One run at a time in a folder."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from alone_experiments.mistakes import Mistake


@contextlib.contextmanager
def locked(folder: Path, seconds: float = 10) -> Iterator[None]:
    """Hold a lock on a folder, which is made if need be.

    A process that is started meanwhile with ``close_fds=False`` holds it too, so that
    the lock of a killed run lasts as long as what it started.

    Args:
        folder: The folder; the lock is its file ``lock``.
        seconds: How long to wait for another run, in which it may well end.

    Raises:
        Mistake: If another run holds the lock for longer.
    """
    folder.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + seconds
    with (folder / "lock").open("wb") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if time.monotonic() > deadline:
                    raise Mistake(
                        f"another run is working in {folder}; wait for it, or stop it"
                    ) from error
                time.sleep(0.1)
        os.set_inheritable(file.fileno(), True)
        yield
