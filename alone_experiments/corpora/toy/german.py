"""German word forms: conjugation and declension.

Cases are "nom", "acc", "dat", "gen"; genders "m", "f", "n", and "p" for any plural.
"""

import re

from .words import Noun, Verb

CASES = ("nom", "acc", "dat", "gen")
_CONTRACTED = {"in dem": "im", "in das": "ins", "an dem": "am", "an das": "ans"}
_CONTRACTED |= {"zu dem": "zum", "zu der": "zur", "von dem": "vom"}


def decline(noun: Noun, plural: bool, case: str) -> str:
    """Return the form of a noun for number and case."""
    if plural:
        bare = case != "dat" or noun.de_plural.endswith(("n", "s"))
        return noun.de_plural + ("" if bare else "n")
    weak = noun.gender == "m" and not noun.genitive.endswith("s")
    return noun.genitive if case == "gen" or (weak and case != "nom") else noun.de


def contract(phrase: str) -> str:
    """Contract a preposition with the article after it: "in dem Haus" -> "im Haus"."""
    first = " ".join(phrase.split(" ")[:2])
    return _CONTRACTED.get(first, first) + phrase[len(first) :]


def conjugated(verb: Verb) -> list[str]:
    """Return the forms for ich, du, er, wir; then in the past; without a prefix."""
    body, past = verb.de_third[:-1], verb.de_past
    second = body + ("t" if body.endswith(("s", "ß", "z", "x")) else "st")
    present = [_first_person(verb), second, verb.de_third, verb.de]
    return [*present, past, past + "st", past, past.removesuffix("e") + "en"]


def imperative(verb: Verb) -> str:
    """Return the imperative for "du", without a prefix: "lies", "öffne", "sammle"."""
    vowels = [re.findall("[aeiouäöü]+", word) for word in (verb.de, verb.de_third)]
    if any(o == "e" and n in ("i", "ie") for o, n in zip(*vowels, strict=False)):
        return verb.de_third[:-1]
    stem = verb.de.removesuffix("n").removesuffix("e")
    needs_e = verb.de_third.endswith("et") or stem.endswith(("t", "d", "er", "el"))
    return _first_person(verb) if needs_e else stem


def _first_person(verb: Verb) -> str:
    return re.sub("eln$", "len", verb.de).removesuffix("n").removesuffix("e") + "e"
