"""Raw sentences and headlines as the tokens in which Gigaword is given."""

from __future__ import annotations

import re
import unicodedata

from alone_experiments.corpora.headlines.treebank import tokenise

MAX_WORDS = 99
"""A source keeps so many words: as many as a Gigaword article may have."""

# What Windows wrote into text that was read as Latin-1 or as Unicode later.
_WINDOWS = {code: bytes([code]).decode("cp1252", "ignore") for code in range(128, 160)}
_PUNCTUATION = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u0060\u00b4", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
        **dict.fromkeys("\u2014\u2015", " -- "),
        "\u2026": "...",
        # Soft hyphen, zero-width marks.
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
    }
)
_CONTROLS = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029]")
# <SRD>, <BCS.L>, <WNTLC>: of a company that stands before it. Where the brackets hold
# the name itself, as in <Kent Toys Inc>, there mostly is a blank or a small letter in
# them, or a word before them that a name must follow.
_TICKER = re.compile(r"(\S*[\w.')])\s*<[A-Z0-9.;/]{1,10}>")
_BEFORE_A_NAME = frozenset({"by", "of", "to", "in", "for", "from", "and", "with"})


def clean(text: str) -> str:
    """Clean and tokenise a line.

    Windows' and typographic punctuation becomes plain, NFKC form dissolves ligatures
    and exotic white space, stray controls go, tokens are the Treebank's, in lower case.

    Args:
        text: A raw sentence or title.

    Returns:
        Tokens with one blank between them; empty if nothing is left.
    """
    text = text.translate(_WINDOWS).translate(_PUNCTUATION)
    text = unicodedata.normalize("NFKC", text).translate(_PUNCTUATION)
    return tokenise(_CONTROLS.sub(" ", text)).lower()


def without_tickers(text: str) -> str:
    """Remove the codes of shares from a Reuters line, and brackets around names.

    A ticker, such as ``<SRD>``, cannot be told from the article, and costs several
    characters of a headline of a desired length.

    Args:
        text: A raw sentence or headline, in its own case.

    Returns:
        The line without them.
    """
    return re.sub(r"[<>]", " ", _TICKER.sub(_without_ticker, text))


def _without_ticker(found: re.Match[str]) -> str:
    return found[0] if found[1].lower() in _BEFORE_A_NAME else f"{found[1]} "


def truncate(source: str, words: int = MAX_WORDS) -> str:
    """Keep the first words of a source."""
    return " ".join(source.split(" ")[:words])
