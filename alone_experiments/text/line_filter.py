"""Commands that turn standard input into standard output, line by line."""

from __future__ import annotations

import sys
from collections.abc import Callable

from alone_experiments.mistakes import Mistake


def filter_lines(change: Callable[[str], str]) -> None:
    """Write each UTF-8 line of standard input as a function changes it.

    Only a line feed ends a line; a last line without one stays without. One line at a
    time is in memory.

    Args:
        change: From a line without its line feed to the one that takes its place.

    Raises:
        Mistake: If a line is not UTF-8, ``change`` refuses it, or what it becomes is
            not one line of UTF-8; the text begins with the line's number.
    """
    if None in (sys.stdin, sys.stdout):
        raise Mistake("standard input or output is closed: give both")
    for number, line in enumerate(sys.stdin.buffer, start=1):
        sys.stdout.buffer.write(_changed(line, number, change))


def _changed(line: bytes, number: int, change: Callable[[str], str]) -> bytes:
    end = b"\n" if line.endswith(b"\n") else b""
    try:
        text = change(line.removesuffix(b"\n").decode("utf-8"))
        if "\n" in text:
            raise Mistake("it would become two lines, since it holds <U+000A>")
        return text.encode("utf-8") + end
    except UnicodeDecodeError as error:
        raise Mistake(
            f"line {number} is not UTF-8 text (byte {error.start + 1}):"
            " convert the input, for example with iconv"
        ) from error
    except UnicodeEncodeError as error:
        code = ord(error.object[error.start])
        raise Mistake(
            f"line {number}: U+{code:04X} is a surrogate, which UTF-8 cannot hold:"
            " remove it from the line"
        ) from error
    except Mistake as error:
        raise Mistake(f"line {number}: {error}") from error
