"""Runs commands in processes of their own that need not import fairseq again.

Importing fairseq takes longer than most of the commands that the tests run. This
program imports it once and then forks for each order it reads from the pipe whose
number is its argument. A fork ends as any Python program ends: through the exception
hook and the exit functions.

An order is one line of JSON: ``code`` (Python that starts the command),
``arguments``, and ``folder``: ``stdin`` is read from there; ``stdout``, ``stderr``,
``pid`` and at last ``status`` (the exit status) are written there.
"""

import gc
import json
import logging
import os
import signal
import sys
from pathlib import Path

import fairseq.checkpoint_utils
import fairseq.options
import fairseq.sequence_generator
import fairseq.tasks
import fairseq.trainer  # noqa: F401
import sacrebleu  # noqa: F401


def write(path: Path, text: str) -> None:
    """Write a file so that no reader sees half of it."""
    unfinished = path.with_suffix(".tmp")
    unfinished.write_text(text)
    unfinished.replace(path)


def fork_with_keeper(folder: Path) -> None:
    """Fork a process that becomes the command, and its keeper that never returns."""
    command = os.fork()
    if command:
        write(folder / "pid", str(command))
        _, status = os.waitpid(command, 0)
        write(folder / "status", str(os.waitstatus_to_exitcode(status)))
        os._exit(0)


def become(order: dict[str, list[str]], folder: Path) -> None:
    """Give this process the command's streams and arguments."""
    os.dup2(os.open(folder / "stdin", os.O_RDONLY), 0)
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT), number)
    sys.argv = ["command", *order["arguments"]]
    logging.root.handlers.clear()  # fairseq's import logs, its commands choose where
    logging.root.setLevel(logging.WARNING)


def next_command() -> str:
    """Fork for each order; returns the order's code, in the forks only."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # keepers are not waited for
    with open(int(sys.argv[1])) as orders:
        for line in orders:
            if os.fork():
                continue
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            order = json.loads(line)
            folder = Path(order["folder"])
            fork_with_keeper(folder)
            become(order, folder)
            return str(order["code"])
    return ""


if __name__ == "__main__":
    # Else each fork's garbage collection walks through all that was imported, and
    # copies the pages: a third of the time that the tests' commands take.
    gc.freeze()
    exec(next_command())
