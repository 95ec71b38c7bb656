"""What is wrong with a corpus, told in one line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import NoReturn


class CorpusError(ValueError):
    """A mistake in the given files or options; one line with the remedy in it."""


class OneLineParser(argparse.ArgumentParser):
    """A parser whose errors are a single line."""

    def error(self, message: str) -> NoReturn:
        """Print the line and end the program."""
        print(f"error: {message}; see --help", file=sys.stderr)
        sys.exit(2)


def run(command: Callable[[], None]) -> int:
    """Run a command; what a user can mend becomes one line.

    Args:
        command: What to do.

    Returns:
        The exit status.
    """
    try:
        command()
    except CorpusError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"error: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("error: interrupted; the same command carries on", file=sys.stderr)
        return 130
    return 0
