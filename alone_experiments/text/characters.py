"""Text as characters with ``@@@@`` between words, and the way back without loss.

The target side of length-controlled headline generation (Takase and Okazaki, 2019) is
a line of characters: ``at least`` is ``a t @@@@ l e a s t``. Here every character of a
line is one token, so that the length of the output in tokens is its length in
characters, and every Unicode line comes back as it was:

* a blank (U+0020) is ``@@@@``, wherever it stands: before the text, after it, or beside
  another blank;
* white space of other kinds, control characters, the byte order mark and surrogates are
  ``<U+00A0>``, their code point in four or more hexadecimal digits: files, terminals
  and fairseq's tokeniser split or drop the bare character;
* every other character, combining marks too, is itself.

No character needs to be escaped for the sake of these names: what is written in the
text as ``@@@@``, ``<U+00A0>`` or ``<unk>`` is several tokens of one character each.
"""

from __future__ import annotations

import argparse
import re

from alone_experiments.mistakes import Mistake
from alone_experiments.text.line_filter import filter_lines

WORD_BOUNDARY = "@@@@"
"""The token that stands for a blank."""

# Written out, not asked of Python's Unicode tables, which change with its version.
UNSAFE = (
    "\0-\x1f\x7f-\xa0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
    "\ud800-\udfff"
)
"""Characters that must not stand bare in a line of tokens, as a regular expression's
class without its brackets: other white space than the blank, controls, the byte order
mark, surrogates."""

_IS_UNSAFE = re.compile(f"[{UNSAFE}]")
_ESCAPE = re.compile(r"<U\+([0-9A-F]{4,6})>")


def escaped(character: str) -> str:
    """Write a character as its code point, such as ``<U+00A0>``."""
    return f"<U+{ord(character):04X}>"


def unescaped(token: str) -> str | None:
    """Read what :func:`escaped` wrote.

    Args:
        token: Any token.

    Returns:
        The character, or ``None`` where the token is no escape of a code point.
    """
    found = _ESCAPE.fullmatch(token)
    code = int(found[1], 16) if found else 0x110000
    return chr(code) if code < 0x110000 and escaped(chr(code)) == token else None


def to_characters(text: str) -> str:
    """Split a line of text into characters.

    Args:
        text: Any string of Unicode code points.

    Returns:
        One token for each of its code points, with blanks between the tokens.
    """
    return " ".join(map(_token, text))


def _token(character: str) -> str:
    if character == " ":
        return WORD_BOUNDARY
    return escaped(character) if _IS_UNSAFE.match(character) else character


def from_characters(tokens: str, strict: bool = False) -> str:
    """Join characters to a line of text; the inverse of :func:`to_characters`.

    A model with a joined dictionary may also write ``<unk>`` or a piece of a source
    word, which stand for themselves.

    Args:
        tokens: Tokens with white space between them.
        strict: Refuse such tokens instead.

    Returns:
        The text.

    Raises:
        Mistake: With ``strict``, if a token is neither a character nor ``@@@@`` nor
            an escaped character.
    """
    return "".join(_character(token, strict) for token in tokens.split())


def _character(token: str, strict: bool) -> str:
    if token == WORD_BOUNDARY:
        return " "
    if len(token) == 1:
        return token
    character = unescaped(token)
    if character is None and strict:
        raise Mistake(
            f"{token!r} is no character, {WORD_BOUNDARY} or <U+....>: give what"
            " `alone-fairseq characters` wrote, or leave --strict out"
        )
    return token if character is None else character


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the ``characters`` subcommand."""
    parser.description = (
        "Reads UTF-8 text from standard input, one headline a line, and writes its"
        f" characters with {WORD_BOUNDARY} for a blank and <U+....> for white space of"
        " other kinds and controls. Only a line feed ends a line. Nothing is lost:"
        " --decode gives back the same bytes."
    )
    add = parser.add_argument
    add("--decode", action="store_true", help="from characters back to text")
    add(
        "--strict",
        action="store_true",
        help="with --decode: refuse tokens that are no characters, such as <unk>,"
        " instead of writing them as they are",
    )


def run(args: argparse.Namespace) -> None:
    """Turn standard input into characters, or back, line by line.

    Raises:
        Mistake: If a line is not UTF-8 or cannot be decoded; it names the line.
    """
    if args.strict and not args.decode:
        raise Mistake("--strict is for --decode: give both, or leave it out")
    if args.decode:
        filter_lines(lambda line: from_characters(line, args.strict))
    else:
        filter_lines(to_characters)
