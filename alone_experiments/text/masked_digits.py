"""Numbers in place of the ``#`` that a model writes which was trained on masked digits.

The public Gigaword pairs have every digit as ``#``, and so has what a model learns to
write from them; the references of DUC-2004 have their digits. The published evaluation
of Rush et al. (2015) takes them from the source, and so does this.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from alone_experiments.lines import read_lines
from alone_experiments.mistakes import Mistake
from alone_experiments.text.line_filter import filter_lines


def restore_digits(headline: str, source: str) -> str:
    """Replace masked numbers by those of the source.

    Args:
        headline: What a model wrote, in words.
        source: What it read, with digits.

    Returns:
        The headline, where a word that begins with ``#`` is the source's word of the
        same length that begins with a digit; the last such word, if there are several.
    """
    numbers = {len(word): word for word in source.split() if word[0] in "0123456789"}
    return " ".join(
        numbers.get(len(word), word) if word.startswith("#") else word
        for word in headline.split(" ")
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the ``restore-digits`` subcommand."""
    parser.description = (
        "Reads headlines from standard input, one a line, and writes them with numbers"
        " of their sources in place of words that begin with #: the source's last word"
        " of the same length that begins with a digit."
    )
    parser.add_argument(
        "--source",
        required=True,
        help="the sources with their digits, line by line: raw/test.unmasked of"
        " data-prep/duc2004.sh",
    )


def run(args: argparse.Namespace) -> None:
    """Restore the digits of the headlines on standard input.

    Raises:
        Mistake: If there are not as many sources as headlines.
    """
    sources = read_lines(args.source)
    rest = iter(sources)
    filter_lines(lambda line: restore_digits(line, _next(rest, args.source)))
    if left := sum(1 for _ in rest):
        raise Mistake(
            f"{args.source} has {len(sources)} lines, {left} more than there are"
            " headlines: give the source of each"
        )


def _next(sources: Iterator[str], path: str) -> str:
    source = next(sources, None)
    if source is None:
        raise Mistake(f"{path} has no source for it: give the source of each headline")
    return source
