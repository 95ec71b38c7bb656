"""One random sentence pair: a construction of the file, filled and written out."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from alone_experiments.mistakes import Mistake

from .clause import Clause, Plan
from .content import make_clause
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
            said = _said(speaker, rules)
            en, de, _ = rules["say"]
            english, german = _written(en, "en", said), _written(de, "de", said)
        except (KeyError, ValueError, TypeError, AttributeError, IndexError) as reason:
            place = f"{speaker.lexicon.path}: [[sentences]] say = {rules['say']}"
            raise Mistake(f"{place}: {type(reason).__name__} {reason}") from reason
        yield Sentence(english, german, frozenset(speaker.pairings))


def _said(speaker: Speaker, rules: Mapping[str, Any]) -> dict[str, Clause | Phrase]:
    said: dict[str, Clause | Phrase] = {}
    for name, part in rules.items():
        if isinstance(part, str):
            said[name] = fill(speaker, part)
        elif name != "say":
            said[name] = make_clause(speaker, Plan(**part), said)
    return said


def _written(template: str, language: str, said: Mapping[str, Clause | Phrase]) -> str:
    def text(place: re.Match[str]) -> str:
        return said[place[1]].form(place[2] or language, language)

    line = re.sub(r"{(\w+)\.?(\w+)?}", text, template)
    return line[0].upper() + line[1:].replace("can not ", "cannot ")


def words(text: str) -> list[str]:
    """Split a sentence into word forms and punctuation marks."""
    return re.findall(r"\d+:\d+|\w+(?:-\w+)*|[^\w\s]", text)
