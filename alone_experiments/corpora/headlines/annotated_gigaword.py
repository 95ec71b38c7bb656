"""Pairs of first sentence and headline from Annotated English Gigaword (LDC2012T21).

A file is a list of documents in SGML. Their headline and the sentences of their text
are parse trees in brackets, one a line::

    <DOC id="AFP_ENG_19940512.0003" type="story" >
    <HEADLINE>
    (TOP (NP (NNP Headline) (NN words)))
    </HEADLINE>
    <TEXT>
    <P>
    (TOP (S ... (. .)))
    </P>
    </TEXT>
    </DOC>

What is taken follows Rush et al. (2015): the headline's first tree; of the first
paragraph, the trees up to the first that has a full stop, and their words up to it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

_LEAF = re.compile(r"\([^\s()]+ ([^\s()]+)\)")
_FULL_STOP = "(. .)"
_TAG = re.compile(r"</?(DOC|HEADLINE|TEXT|P)\b[^>]*>$", re.IGNORECASE)


@dataclass
class _Document:
    headline: list[str] = field(default_factory=list)
    paragraph: list[str] = field(default_factory=list)


@dataclass
class Counts:
    """What was found in a file.

    Attributes:
        documents: Number of documents.
        headlines: Documents whose headline is a parse tree.
    """

    documents: int = 0
    headlines: int = 0


def leaves(tree: str) -> list[str]:
    """Return the words of a parse tree in brackets."""
    return [html.unescape(word) for word in _LEAF.findall(tree)]


def pairs(lines: Iterable[str], counts: Counts) -> Iterator[tuple[str, str]]:
    """Take the pairs out of the lines of one file.

    Args:
        lines: The file, uncompressed.
        counts: What was found is added to it.

    Yields:
        Article and title, as words with one blank between them, in their own case and
        with their digits; documents that lack either are passed over.
    """
    for document in _documents(lines):
        counts.documents += 1
        counts.headlines += bool(document.headline)
        title = leaves(document.headline[0]) if document.headline else []
        article = _up_to_full_stop(document.paragraph)
        if title and article:
            yield _joined(article), _joined(title)


def _documents(lines: Iterable[str]) -> Iterator[_Document]:
    document, place, paragraphs = _Document(), "", 0
    for line in map(str.strip, lines):
        if found := _TAG.match(line):
            name, ends = found[1].upper(), line.startswith("</")
            if name == "DOC" and ends:
                yield document
            if name == "DOC":
                document, paragraphs = _Document(), 0
            paragraphs += name == "P" and not ends
            place = "" if ends else name
        elif line.startswith("("):
            if place == "HEADLINE":
                document.headline.append(line)
            elif place == "P" and paragraphs == 1:
                document.paragraph.append(line)


def _up_to_full_stop(trees: list[str]) -> list[str]:
    words: list[str] = []
    for tree in trees:
        words += leaves(tree)
        if _FULL_STOP in tree:
            break
    return words[: words.index(".") + 1] if "." in words else words


def _joined(words: list[str]) -> str:
    # What an entity stands for may itself be white space.
    return " ".join(" ".join(words).split())
