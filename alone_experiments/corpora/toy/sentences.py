"""One random sentence pair: a construction of the file, filled and written out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from alone_experiments.mistakes import Mistake

from .clause import Clause
from .content import Plan, make_clause
from .phrases import Phrase
from .speaker import Speaker
from .templates import fill


class Sentence(NamedTuple):
    """A sentence pair as a person would write it, and which words it combines."""

    english: str
    german: str
    pairings: frozenset[tuple[str, str, str]]


def sentences(speaker: Speaker) -> Iterator[Sentence]:
    """Yield random sentence pairs without end.

    Raises:
        Mistake: a construction of the file cannot be filled.
    """
    constructions = speaker.lexicon.sentences
    weights = {place: rules["say"][2] for place, rules in enumerate(constructions)}
    while True:
        rules = constructions[speaker.weighted(weights)]
        speaker.pairings.clear()
        try:
            english, german = _filled(speaker, rules)
        except (KeyError, ValueError, TypeError, AttributeError, IndexError) as reason:
            place = f"{speaker.lexicon.path}: [[sentences]] say = {rules['say']}"
            raise Mistake(f"{place}: {type(reason).__name__} {reason}") from reason
        yield Sentence(english, german, frozenset(speaker.pairings))


def _filled(speaker: Speaker, rules: Mapping[str, Any]) -> list[str]:
    said: dict[str, Clause | Phrase] = {}
    for name, part in rules.items():
        if isinstance(part, str):
            said[name] = fill(speaker, part)
        elif isinstance(part, dict):
            said[name] = make_clause(speaker, Plan(**part), said)

    def text(place: re.Match[str], language: str) -> str:
        return said[place[1]].form(place[3] or language, language)

    written = []
    for language, template in zip(("en", "de"), rules["say"], strict=False):
        line = re.sub(r"{(\w+)(\.(\w+))?}", partial(text, language=language), template)
        written.append(line[0].upper() + line[1:].replace("can not ", "cannot "))
    return written


def words(text: str) -> list[str]:
    """Split a sentence into word forms and punctuation marks."""
    return re.findall(r"\d+:\d+|\w+(?:-\w+)*|[^\w\s]", text)
