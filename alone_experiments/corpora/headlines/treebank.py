"""The tokens of the Penn Treebank, in which Gigaword and DUC-2004 are given.

A sentence at a time, by the Treebank's published conventions: a full stop is a token
only at the end of the sentence, so that ``u.s.`` and ``corp.`` stay whole; ``do n't``,
``company 's``; quotes become `````` and ``''``; a comma or colon between digits stays.
"""

from __future__ import annotations

import re

_RULES = [
    # Opening quotes, then what is left is closing.
    (r'(^|[\s(\[{<])"', r"\1 `` "),
    (r'"', " '' "),
    (r"(``|'')", r" \1 "),
    (r"\.\.\.", " ... "),
    (r"([,:])(?!\d)", r" \1 "),
    (r"(?<!\d)([,:])", r" \1 "),
    (r"([;@#$%&?!])", r" \1 "),
    (r"([\]\[(){}<>])", r" \1 "),
    (r"--+", " -- "),
    (r"(?<=[^.\s])\.(?=[\s'\])}>]*$)", " ."),
    # Clitics, and quotes of one stroke.
    (r"(?i)(?<=[^'\s])('(?:s|m|d|ll|re|ve))(?=\s|$)", r" \1"),
    (r"(?i)(?<=\w)(n't)(?=\s|$)", r" \1"),
    (r"(?<=[^'\s])'(?=\s|$)", " '"),
    (r"(?i)\b(can)(not)\b", r"\1 \2"),
]
_COMPILED = [(re.compile(pattern), into) for pattern, into in _RULES]


def tokenise(sentence: str) -> str:
    """Split a sentence into Treebank tokens.

    Args:
        sentence: Plain text; case is kept.

    Returns:
        Tokens with one blank between them.
    """
    for pattern, into in _COMPILED:
        sentence = pattern.sub(into, sentence)
    return " ".join(sentence.split())
