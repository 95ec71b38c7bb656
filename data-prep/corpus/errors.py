"""Mistakes and mishaps, told in one line."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class CorpusError(ValueError):
    """What a user can mend; its text is one line that names the file and the remedy."""


def explain(error: OSError, path: object = None) -> str:
    """Put an error of the file system into one line.

    Args:
        error: The exception.
        path: The file that was being read or written, where the exception has no name.

    Returns:
        A line with the file's name and, for a full disk, the remedy.
    """
    name = path if path is not None else error.filename
    line = f"{name}: {error.strerror}" if name is not None else str(error)
    if error.errno in _NO_ROOM:
        line += "; make room and run the same command again, it carries on from here"
    return line


def say(message: str) -> None:
    """Tell what happens, as the shell scripts do."""
    print(f"==> {message}", file=sys.stderr, flush=True)


def exit_status(work: Callable[[], object]) -> int:
    """Do the work of a command.

    Args:
        work: What to do.

    Returns:
        0; 1 after a line about what went wrong; 130 after an interrupt.
    """
    try:
        work()
    except CorpusError as error:
        return _failed(str(error))
    except OSError as error:
        return _failed(explain(error))
    except KeyboardInterrupt:
        print("interrupted; the same command carries on", file=sys.stderr)
        return 130
    return 0


def _failed(line: str) -> int:
    print(f"error: {line}", file=sys.stderr)
    return 1
