"""Texts with places in braces, filled in both languages at once."""

import re

from . import german
from .phrases import Phrase, fixed, noun_phrase, pick_noun, someone
from .speaker import Speaker

NOTHING = fixed("", "")
_PLACE = re.compile("{(.*?)}")


def phrase(speaker: Speaker, name: str, about: Phrase = NOTHING) -> Phrase:
    """Return a phrase of a list, its places filled; ``about`` is what it describes."""
    en, de = speaker.weighted(speaker.lexicon.phrases[name])
    for place in _PLACE.findall(en):
        part = fill(speaker, place, about)
        if en == f"{{{place}}}" and de == "{de}":
            return part
        form = _PLACE.findall(de)[0]
        en = en.replace(f"{{{place}}}", part.form("object"), 1)
        de = de.replace(f"{{{form}}}", part.form(form), 1)
    return fixed(en, german.contract(de))


def fill(speaker: Speaker, place: str, about: Phrase = NOTHING) -> Phrase:
    """Return what stands in a place: a list, a mixture, ``kinds/determiner``, ..."""
    if place in ("adjective", "comparative"):
        return _adjective(speaker, about, compared=place == "comparative")
    if place == "alike":
        return _alike(speaker, about)
    if place in speaker.lexicon.phrases:
        return phrase(speaker, place, about)
    if place in speaker.lexicon.weights:
        return someone(speaker, place)
    kinds, *settled = place.split("/")
    row, adjective = [*settled, *("place", "0.35")[len(settled) :]]
    noun = pick_noun(speaker, tuple(kinds.split()))
    return noun_phrase(speaker, noun, row, adjective=float(adjective))


def _adjective(speaker: Speaker, about: Phrase, compared: bool) -> Phrase:
    """Return an adjective that the phrase does not hold already."""
    adjectives = speaker.lexicon.adjectives[about.kind]
    if compared:
        adjectives = [a for a in adjectives if a.en_comparative]
    used = about.adjective
    fitting = [a for a in adjectives if used not in (a.en, a.en_superlative)]
    chosen = speaker.pick(fitting)
    if about.noun:
        speaker.pairings.add(("adjective", chosen.en, about.noun.head))
    if compared:
        return fixed(chosen.en_comparative, chosen.de_comparative)
    return fixed(chosen.en, chosen.de)


def _alike(speaker: Speaker, about: Phrase) -> Phrase:
    """Return something else of the same kind."""
    noun = pick_noun(speaker, (about.kind,))
    if about.noun and noun.head == about.noun.head:
        return _alike(speaker, about)
    return noun_phrase(speaker, noun, "definite", adjective=0.15)
