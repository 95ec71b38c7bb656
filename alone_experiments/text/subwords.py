"""Text as subword units of subword-nmt (Sennrich et al., 2016), without loss.

subword-nmt and fairseq take a line for words with blanks between them, and ``@@`` at
the end of a unit for "the word goes on". Lines that this does not fit are protected
first; ordinary text stays as it is:

* white space and controls other than a single blank between words become part of a
  word as ``<U+00A0>``, as in :mod:`~.characters`;
* so do the last ``@`` of a word that ends in ``@@``, and the ``<`` of a word that ends
  in ``<s>``, ``</s>`` or ``<pad>``, which mean something else to fairseq;
* so does the ``<`` of what looks like such an escape in the text itself.

``<unk>`` is left alone: in corpora it is the unknown word, and fairseq makes it that.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
from pathlib import Path

from subword_nmt.apply_bpe import BPE

from alone_experiments.evaluation.generation import remove_bpe
from alone_experiments.mistakes import Mistake
from alone_experiments.text.characters import UNSAFE, escaped, unescaped
from alone_experiments.text.line_filter import filter_lines

_ESCAPE = re.compile(r"<U\+[0-9A-F]{4,6}>")
_UNSAFE_OR_EXTRA_BLANK = re.compile(f"[{UNSAFE}]|^ +|(?<= ) +| $")
_MARKER_AT_END = re.compile(r"@(?<=@@)(?= |$)")
_SPECIAL_AT_END = re.compile(r"<(?=(?:s|/s|pad)>(?: |$))")
_CACHED_WORDS = 200_000


def protect(text: str) -> str:
    """Make a line safe for subword units.

    Args:
        text: Any string of Unicode code points.

    Returns:
        Words with one blank between them; none if the text is empty.
    """
    text = _ESCAPE.sub(lambda found: escaped("<") + found[0][1:], text)
    text = _UNSAFE_OR_EXTRA_BLANK.sub(
        lambda found: "".join(map(escaped, found[0])), text
    )
    text = _MARKER_AT_END.sub(escaped("@"), text)
    return _SPECIAL_AT_END.sub(escaped("<"), text)


def restore(text: str) -> str:
    """Undo :func:`protect`.

    Args:
        text: Words with one blank between them.

    Returns:
        The text as it was.
    """
    return _ESCAPE.sub(lambda found: unescaped(found[0]) or found[0], text)


class Subwords:
    """Splits text by merges that ``subword-nmt learn-bpe`` learned.

    Args:
        codes: The file of merges.

    Raises:
        Mistake: If the file cannot be read or holds no merges.
    """

    def __init__(self, codes: str | Path) -> None:
        """Read the merges."""
        try:
            # subword-nmt prints what is wrong with a file and ends the program.
            with (
                open(codes, encoding="utf-8", newline="\n") as file,
                contextlib.redirect_stderr(io.StringIO()),
            ):
                self._bpe = BPE(file)
                self._bpe.segment("ab")  # looks at the version only now
        except OSError as error:
            raise Mistake(f"cannot read {codes}: {error.strerror}") from error
        except (SystemExit, ValueError, LookupError, NotImplementedError) as error:
            raise Mistake(
                f"{codes} holds no byte-pair merges: give what subword-nmt learn-bpe"
                " wrote"
            ) from error

    def split(self, text: str) -> str:
        """Split a line into subword units.

        Args:
            text: Any string; :func:`protect` is applied to it.

        Returns:
            Units with blanks between them, ``@@`` at the end of those that do not end
            their word.
        """
        # subword-nmt keeps every word it has ever split.
        if len(self._bpe.cache) > _CACHED_WORDS:
            self._bpe.cache.clear()
        return str(self._bpe.segment(protect(text)))


def join(units: str) -> str:
    """Join subword units to text; the inverse of :meth:`Subwords.split`.

    Args:
        units: Units with blanks between them.

    Returns:
        The text.
    """
    return restore(remove_bpe(units))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the ``subwords`` subcommand."""
    parser.description = (
        "Reads UTF-8 text from standard input and writes its subword units, or with"
        " --decode the text. Nothing is lost: unusual white space, a word that ends in"
        " @@ and the like are escaped as <U+....> on the way."
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--codes", help="merges that subword-nmt learn-bpe learned")
    which.add_argument(
        "--decode", action="store_true", help="from subword units back to text"
    )


def run(args: argparse.Namespace) -> None:
    """Turn standard input into subword units, or back, line by line.

    Raises:
        Mistake: If a line is not UTF-8 (it names the line), or the merges cannot be
            read.
    """
    filter_lines(join if args.decode else Subwords(args.codes).split)
