"""One random sentence pair: which construction, and how it is written out."""

from __future__ import annotations

import re
from typing import NamedTuple

from toy_language import (
    infinitives,
    relative_clauses,
    requests,
    statements,
    subordination,
)
from toy_language.chooser import Chooser

_CONSTRUCTIONS = {
    statements.plain: 400,
    statements.description: 55,
    statements.comparison: 35,
    statements.profession: 20,
    statements.existence: 40,
    statements.passive: 70,
    statements.age: 14,
    statements.price: 20,
    statements.sum_of_numbers: 8,
    subordination.reported: 60,
    subordination.subordinate: 90,
    subordination.about_object: 35,
    relative_clauses.relative: 75,
    infinitives.intention: 40,
    infinitives.purpose: 25,
    subordination.coordination: 35,
    subordination.contrast: 15,
    requests.yes_no: 40,
    requests.circumstances: 20,
    requests.who: 15,
    requests.what: 35,
    requests.command: 55,
}


class Sentence(NamedTuple):
    """A sentence pair and what it is made of.

    Attributes:
        english, german: raw text, as a person would write it.
        pairings: (kind, first, second): which words are combined with which.
        coined: word forms put together from parts (compounds, numbers).
    """

    english: str
    german: str
    pairings: frozenset[tuple[str, str, str]]
    coined: frozenset[str]


def sentence(chooser: Chooser) -> Sentence:
    """Return the next random sentence pair."""
    chooser.start_sentence()
    english, german = chooser.weighted(_CONSTRUCTIONS)(chooser)
    pairings, coined = frozenset(chooser.pairings), frozenset(chooser.coined)
    return Sentence(write_out(english), write_out(german), pairings, coined)


def write_out(text: str) -> str:
    """Capitalise the first letter and drop commas before other punctuation."""
    tidy = re.sub(r",([,.?!])", r"\1", text)
    return tidy[0].upper() + tidy[1:]


def words(text: str) -> list[str]:
    """Split a sentence into word forms and punctuation marks."""
    return re.findall(r"\d+:\d+|\w+(?:-\w+)*|'s?|[^\w\s]", text)
