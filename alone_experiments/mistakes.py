"""Mistakes and mishaps, told in one line."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Callable
from typing import NoReturn

TRACEBACK_VARIABLE = "ALONE_TRACEBACK"
"""Set this environment variable to see tracebacks all the same."""

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_LONGEST = 600  # characters of a line about a mistake
_INTERRUPTED = 130  # what a shell says of a program that Ctrl-C ended


class Mistake(ValueError):  # noqa: N818 (it is the user's, and the program is right)
    """What a user can mend; its text is one line that names the file and the remedy."""


class OneLineParser(argparse.ArgumentParser):
    """A parser whose errors are a single line, without the usage before it."""

    def error(self, message: str) -> NoReturn:
        """Print the line and end the program."""
        self.exit(2, f"{self.prog}: error: {message}; see --help\n")


def say(message: str) -> None:
    """Tell on standard error what happens, as the shell scripts do."""
    print(f"==> {message}", file=sys.stderr, flush=True)


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
        line += "; make room and run the same command again"
    return line


def in_one_line(text: str) -> str:
    """Write what cannot be printed as its escape, and leave out most of a long word.

    Args:
        text: A message, which may quote what stood in a file.
    """
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]}…{text[-_LONGEST // 2 :]}"
    return "".join(
        mark if mark.isprintable() else mark.encode("unicode_escape").decode()
        for mark in text
    )


def exit_status(work: Callable[[], object]) -> int:
    """Do the work of a command, and put what a user can mend into one line.

    Args:
        work: What to do.

    Returns:
        0; 1 after a line about what went wrong; 130 after an interrupt. A reader that
        has enough, such as ``head``, is no error.
    """
    try:
        _work_and_print(work)
    except BrokenPipeError:
        _forget_output()
    except KeyboardInterrupt:
        print("interrupted; the same command carries on", file=sys.stderr)
        return _INTERRUPTED
    except Exception as error:
        line = None if os.environ.get(TRACEBACK_VARIABLE) else _one_line(error)
        if line is None:
            raise
        print(f"alone-fairseq: error: {in_one_line(line)}", file=sys.stderr)
        if isinstance(error, OSError):
            _forget_output()
        return 1
    return 0


def _work_and_print(work: Callable[[], object]) -> None:
    try:
        work()
    except SystemExit:  # of a parser that printed its help
        _empty_output()
        raise
    _empty_output()


def _empty_output() -> None:
    if sys.stdout is not None:  # as it is where the shell has closed it
        sys.stdout.flush()


def _one_line(error: Exception) -> str | None:
    if isinstance(error, Mistake):
        return str(error)
    if isinstance(error, ModuleNotFoundError):
        package = error.name or ""
        # A part that is missing is another version's, or a mistake of ours.
        if package and "." not in package and not package.startswith("alone_"):
            return (
                f"{package} is not installed for {sys.executable}; install it, or run:"
                " bash scripts/setup.sh, which makes an environment in .venv"
            )
    if isinstance(error, OSError) and error.errno in _NO_ROOM and not error.filename:
        # All files are written by .files, which names them.
        return f"cannot write {explain(error, 'standard output')}"
    # The plugin knows what fairseq and torch say of mistakes. Where it was not imported
    # nothing of theirs can have gone wrong.
    plugin = sys.modules.get("alone_fairseq.errors")
    known: str | None = plugin.explain(error) if plugin else None
    return known or (explain(error) if isinstance(error, OSError) else None)


def _forget_output() -> None:
    """Keep Python from writing to a closed or full standard output once more."""
    try:
        output = sys.stdout.fileno()
    except (OSError, ValueError):
        return  # replaced by something without a file
    os.dup2(os.open(os.devnull, os.O_WRONLY), output)
