"""German word forms: declension of nouns, adjectives, determiners; conjugation.

Cases are "nom", "acc", "dat", "gen"; genders "m", "f", "n", and "p" for any plural.
"""

from __future__ import annotations

import re

from toy_language.nouns import Noun
from toy_language.verbs import Verb, needs_e, stem

CASES = ("nom", "acc", "dat", "gen")
_Endings = dict[str, tuple[str, str, str, str]]

_THE: _Endings = {
    "m": ("der", "den", "dem", "des"),
    "f": ("die", "die", "der", "der"),
    "n": ("das", "das", "dem", "des"),
    "p": ("die", "die", "den", "der"),
}
_RELATIVE: _Endings = {
    "m": ("der", "den", "dem", "dessen"),
    "f": ("die", "die", "der", "deren"),
    "n": ("das", "das", "dem", "dessen"),
    "p": ("die", "die", "denen", "deren"),
}
# Endings of ein, kein, mein, ... and of dieser, jeder, welcher, alle.
_EIN: _Endings = {
    "m": ("", "en", "em", "es"),
    "f": ("e", "e", "er", "er"),
    "n": ("", "", "em", "es"),
    "p": ("e", "e", "en", "er"),
}
_DIESER: _Endings = {
    "m": ("er", "en", "em", "es"),
    "f": ("e", "e", "er", "er"),
    "n": ("es", "es", "em", "es"),
    "p": ("e", "e", "en", "er"),
}
_ADJECTIVE: dict[str, _Endings] = {
    "weak": {
        "m": ("e", "en", "en", "en"),
        "f": ("e", "e", "en", "en"),
        "n": ("e", "e", "en", "en"),
        "p": ("en", "en", "en", "en"),
    },
    "mixed": {
        "m": ("er", "en", "en", "en"),
        "f": ("e", "e", "en", "en"),
        "n": ("es", "es", "en", "en"),
        "p": ("en", "en", "en", "en"),
    },
    "strong": {
        "m": ("er", "en", "em", "en"),
        "f": ("e", "e", "er", "er"),
        "n": ("es", "es", "em", "en"),
        "p": ("e", "e", "en", "er"),
    },
}
_CONTRACTIONS = {
    ("in", "dem"): "im",
    ("in", "das"): "ins",
    ("an", "dem"): "am",
    ("an", "das"): "ans",
    ("zu", "dem"): "zum",
    ("zu", "der"): "zur",
    ("bei", "dem"): "beim",
    ("von", "dem"): "vom",
}


def definite_article(gender: str, case: str) -> str:
    """Return der, die, das, den, dem or des."""
    return _THE[gender][CASES.index(case)]


def relative_pronoun(gender: str, case: str) -> str:
    """Return der, die, das, den, dem, denen, dessen or deren."""
    return _RELATIVE[gender][CASES.index(case)]


def ein_word(stem: str, gender: str, case: str) -> str:
    """Inflect ein, kein or a possessive ("mein", "unser", ...)."""
    return stem + _EIN[gender][CASES.index(case)]


def dieser_word(stem: str, gender: str, case: str) -> str:
    """Inflect dies-, jed-, welch-, all-, viel- or einig-."""
    return stem + _DIESER[gender][CASES.index(case)]


def adjective(stem: str, declension: str, gender: str, case: str) -> str:
    """Return the attributive form; declension is "weak", "mixed" or "strong"."""
    ending = _ADJECTIVE[declension][gender][CASES.index(case)]
    return stem + (ending[1:] if stem.endswith("e") else ending)


def genitive(noun: Noun) -> str:
    """Return the genitive singular: -es after one syllable or a hiss, else -s."""
    if noun.genitive:
        return noun.genitive
    if noun.gender == "f":
        return noun.german
    if noun.weak:
        return _weak_singular(noun)
    if noun.german.endswith(("s", "ß", "z", "x", "sch")):
        return noun.german + "es"
    syllables = len(re.findall("[aeiouyäöü]+", noun.german.lower()))
    one_closed_syllable = syllables == 1 and noun.german[-1] not in "aeiouyäöüh"
    after_ch = syllables == 1 and noun.german.endswith("ch")
    return noun.german + ("es" if one_closed_syllable or after_ch else "s")


def _weak_singular(noun: Noun) -> str:
    ending = "n" if noun.german.endswith(("e", "er", "ar")) else "en"
    return noun.german + ending


def decline(noun: Noun, plural: bool, case: str) -> str:
    """Return the form of a noun for number and case.

    Raises:
        ValueError: the plural of a mass noun is asked for.
    """
    if plural:
        if noun.mass:
            raise ValueError(f"{noun.german} has no plural")
        bare = case != "dat" or noun.german_plural.endswith(("n", "s"))
        return noun.german_plural + ("" if bare else "n")
    if case == "gen":
        return genitive(noun)
    return _weak_singular(noun) if noun.weak and case != "nom" else noun.german


def contract(preposition: str, phrase: str) -> str:
    """Join a preposition and a phrase that starts with the definite article."""
    article, _, rest = phrase.partition(" ")
    short = _CONTRACTIONS.get((preposition, article))
    return f"{short} {rest}" if short else f"{preposition} {phrase}"


def present(verb: Verb, person: int, plural: bool) -> str:
    """Return the finite present form, without a separable prefix."""
    if verb.german == "sein":
        return "sind" if plural else ("bin", "bist", "ist")[person - 1]
    if plural:
        return verb.german
    if person == 3:
        return verb.german_third
    return _second_person(verb) if person == 2 else _first_person(verb.german)


def _first_person(infinitive: str) -> str:
    if infinitive.endswith("eln"):
        return infinitive[:-3] + "le"
    return stem(infinitive) + "e"


def _second_person(verb: Verb) -> str:
    if stem(verb.german).endswith("t") and not verb.german_third.endswith("et"):
        return verb.german_third + "st"
    body = verb.german_third[:-1]
    return body + ("t" if body.endswith(("s", "ß", "z", "x")) else "st")


def preterite(verb: Verb, person: int, plural: bool) -> str:
    """Return the finite past form, without a separable prefix."""
    form = verb.german_past
    if plural:
        return form + ("n" if form.endswith("e") else "en")
    return form + "st" if person == 2 else form


def imperative(verb: Verb) -> str:
    """Return the imperative for "du", without a separable prefix."""
    base = stem(verb.german)
    if _turns_e_to_i(base, verb.german_third):
        return verb.german_third[: None if base.endswith("t") else -1]
    if verb.german.endswith(("eln", "ern")):
        return _first_person(verb.german)
    return base + ("e" if needs_e(base) else "")


def _turns_e_to_i(base: str, third: str) -> bool:
    first_vowel = re.compile("[aeiouäöü]+")
    old, new = first_vowel.search(base), first_vowel.search(third)
    if base.startswith(("ver", "be", "zer", "ge", "ent", "er")) and len(base) > 4:
        old, new = (list(first_vowel.finditer(w))[1] for w in (base, third))
    return bool(old and new and old[0] == "e" and new[0].startswith("i"))


def zu_infinitive(verb: Verb) -> str:
    """Return "zu lesen", or "anzurufen" for a separable verb."""
    if verb.prefix:
        return f"{verb.prefix}zu{verb.german}"
    return f"zu {verb.german}"
