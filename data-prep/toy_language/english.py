"""English word forms: plurals, verb forms, comparison, the article before a vowel."""

from __future__ import annotations

_VOWELS = "aeiou"
_DOUBLING = "cut stop plan run swim put sit begin forget get set travel cancel"
_DOUBLING_ADJECTIVES = "big hot fat thin sad wet"
_CONSONANT_SOUND = ("univers", "use", "uniform", "one")
_VOWEL_SOUND = ("hour", "honest")
_BE = {"I": ("am", "was"), "plural": ("are", "were"), "singular": ("is", "was")}


def regular_plural(noun: str) -> str:
    """Return the plural of a regular noun (or of a phrase that ends in one)."""
    return _add_s(noun)


def _add_s(word: str) -> str:
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2] not in _VOWELS:
        return word[:-1] + "ies"
    return word + "s"


def third_person(verb: str) -> str:
    """Return the third person singular present, e.g. "watch" -> "watches"."""
    irregular = {"have": "has", "go": "goes", "do": "does"}
    return irregular.get(verb) or _add_s(verb)


def regular_past(verb: str) -> str:
    """Return the regular past, e.g. "plan" -> "planned", "carry" -> "carried"."""
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return verb[:-1] + "ied"
    return (verb + verb[-1] if verb in _DOUBLING.split() else verb) + "ed"


def ing_form(verb: str) -> str:
    """Return the present participle, e.g. "run" -> "running", "lie" -> "lying"."""
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and verb != "be" and not verb.endswith("ee"):
        return verb[:-1] + "ing"
    return (verb + verb[-1] if verb in _DOUBLING.split() else verb) + "ing"


def comparative(adjective: str, ending: str) -> str:
    """Return e.g. "bigger" / "biggest" / "later" for the ending "er" or "est"."""
    if adjective.endswith("e"):
        return adjective + ending[1:]
    if adjective.endswith("y"):
        return adjective[:-1] + "i" + ending
    if adjective in _DOUBLING_ADJECTIVES.split():
        return adjective + adjective[-1] + ending
    return adjective + ending


def indefinite_article(following: str) -> str:
    """Return "a" or "an", as the first sound of what follows demands."""
    if following.startswith(_CONSONANT_SOUND):
        return "a"
    if following.startswith(_VOWEL_SOUND):
        return "an"
    return "an" if following[0].lower() in _VOWELS else "a"


def form_of_be(pronoun: str, plural: bool, past: bool) -> str:
    """Return the form of "be" for a subject given by its pronoun and number."""
    key = "I" if pronoun == "I" else "singular"
    if plural or pronoun == "you":
        key = "plural"
    return _BE[key][1 if past else 0]
