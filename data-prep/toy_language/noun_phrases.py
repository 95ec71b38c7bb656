"""Noun phrases around a noun: determiner, adjective, noun, owner."""

from __future__ import annotations

from dataclasses import dataclass

from toy_language import german
from toy_language.adjectives import ADJECTIVES_BY_KIND, Adjective
from toy_language.chooser import Chooser
from toy_language.compounds import COMPOUNDS_BY_LAST_PART
from toy_language.english import indefinite_article
from toy_language.german import CASES
from toy_language.nouns import NOUN_BY_ENGLISH, NOUNS_BY_KIND, Noun
from toy_language.numerals import (
    ENGLISH_ORDINALS,
    GERMAN_ORDINALS,
    english_number,
    german_number,
)
from toy_language.pronouns import NounPhrase, possessive_of

# People of whom one says "my": relatives, friends, those who serve one person.
_OWN_PEOPLE = (
    "father brother son uncle grandfather neighbour friend teacher doctor guest boss"
    " lawyer mother sister daughter aunt niece grandmother girlfriend child baby"
)


def pick_noun(chooser: Chooser, kinds: tuple[str, ...], compound: float = 0.25) -> Noun:
    """Pick a noun of the given kinds (or single English nouns), maybe a compound."""
    options: list[Noun] = []
    for kind in kinds:
        options += NOUNS_BY_KIND.get(kind) or [NOUN_BY_ENGLISH[kind]]
    noun = chooser.pick(options)
    compounds = COMPOUNDS_BY_LAST_PART.get(noun.english)
    if not compounds or not chooser.chance(compound):
        return noun
    joined = chooser.pick(compounds)
    chooser.note_pairing("compound", *joined.parts)
    for plural in (False, True)[: 1 if joined.mass else 2]:
        chooser.coined.update(german.decline(joined, plural, case) for case in CASES)
    return joined


@dataclass(frozen=True)
class _Determiner:
    """English word; German stem and family; the declension of the adjective after."""

    english: str
    german: str
    family: str
    declension: str
    plural: bool


def _forms(determiner: _Determiner, gender: str, case: str) -> str:
    if determiner.family == "the":
        return german.definite_article(gender, case)
    if determiner.family == "ein":
        return german.ein_word(determiner.german, gender, case)
    if determiner.family == "dieser":
        return german.dieser_word(determiner.german, gender, case)
    return determiner.german


def _determiner(
    chooser: Chooser, word: str, plural: bool, owner: NounPhrase | None
) -> _Determiner:
    if word == "possessive":
        english, stem = owner.possessive if owner else _random_possessive(chooser)
        return _Determiner(english, stem, "ein", "mixed", plural)
    if word == "number":
        number = number_word(chooser, small=0.7)
        return _Determiner(*number, "fixed", "strong", True)
    table = {
        "the": ("the", "", "the", "weak"),
        "this": ("these" if plural else "this", "dies", "dieser", "weak"),
        "a": ("a", "ein", "ein", "mixed"),
        "no": ("any" if plural else "a", "kein", "ein", "mixed"),
        "every": ("every", "jed", "dieser", "weak"),
        "all": ("all", "all", "dieser", "weak"),
        "which": ("which", "welch", "dieser", "weak"),
        "many": ("many", "viel", "dieser", "strong"),
        "some": ("some", "einig", "dieser", "strong"),
        "how many": ("how many", "wie viel", "dieser", "strong"),
        "bare": ("", "", "fixed", "strong"),
    }
    return _Determiner(*table[word], plural)


def _random_possessive(chooser: Chooser) -> tuple[str, str]:
    pronouns = ["I", "I", "you", "he", "she", "we", "they"]
    return possessive_of(chooser.pick(pronouns), "")


def number_word(chooser: Chooser, small: float = 0.2) -> tuple[str, str]:
    """Return a number from 2 to 99 in words; composed ones count as coined.

    Args:
        chooser: the stream of choices.
        small: probability of staying within 2 to 12.
    """
    number = 2 + (chooser.below(11) if chooser.chance(small) else chooser.below(98))
    words = english_number(number), german_number(number)
    if number > 20 and number % 10:
        chooser.note_pairing("number", str(number // 10), str(number % 10))
        chooser.coined.update(words)
    return words


def _choose_determiner(chooser: Chooser, noun: Noun, plural: bool) -> str:
    if noun.mass:
        return chooser.weighted({"the": 6, "possessive": 1, "bare": 5, "this": 1})
    if plural:
        weights = {"the": 8, "possessive": 3, "this": 2, "many": 2, "some": 2}
        weights |= {"bare": 0 if noun.kind == "person" else 4, "all": 1, "number": 5}
        return chooser.weighted(weights)
    weights = {"the": 20, "possessive": 8, "a": 14, "this": 4, "every": 1}
    return chooser.weighted(weights)


def _modifier(
    chooser: Chooser, noun: Noun, determiner: str, plural: bool, chance: float
) -> tuple[str, str]:
    """Return an English adjective and its German attributive stem, or two ""."""
    if not chooser.chance(chance):
        return "", ""
    countable = not plural and not noun.mass
    if determiner == "the" and countable and chooser.chance(0.1):
        place = chooser.below(len(ENGLISH_ORDINALS))
        return ENGLISH_ORDINALS[place], GERMAN_ORDINALS[place]
    adjectives = ADJECTIVES_BY_KIND.get(noun.kind)
    if not adjectives:
        return "", ""
    adjective = chooser.pick(adjectives)
    chooser.note_pairing("adjective", adjective.english, noun.head)
    if noun.mass:
        return adjective.english, adjective.stem
    return _degree(chooser, adjective, determiner)


def _degree(chooser: Chooser, adjective: Adjective, determiner: str) -> tuple[str, str]:
    compared = determiner == "the" and adjective.english_superlative
    if compared and chooser.chance(0.15):
        return adjective.english_superlative, adjective.german_superlative
    return adjective.english, adjective.stem


def noun_phrase(
    chooser: Chooser,
    noun: Noun,
    determiner: str = "",
    *,
    owner: NounPhrase | None = None,
    plural: bool | None = None,
    adjective: float = 0.4,
) -> NounPhrase:
    """Build a phrase around a noun; what is not given is chosen.

    Args:
        chooser: the stream of choices.
        noun: its head.
        determiner: "the", "a", "no", "this", "possessive", "every", "all", "many",
            "some", "which", "how many", "number", "bare", or "" to choose.
        owner: whom "his", "her", ... refer to, for a possessive.
        plural: the number, or None to choose.
        adjective: probability of an adjective.
    """
    if plural is None:
        countable = not noun.mass and determiner not in ("a", "every")
        plural = countable and chooser.chance(0.28)
    word = determiner or _choose_determiner(chooser, noun, plural)
    if (
        word == "possessive"
        and noun.kind == "person"
        and noun.head not in _OWN_PEOPLE.split()
    ):
        word = "the"
    chosen = _determiner(chooser, word, plural, owner)
    english, stem = _modifier(chooser, noun, word, plural, adjective)
    head = noun.english_plural if plural else noun.english
    words = [w for w in (english, head) if w]
    article = chosen.english
    if word in ("a", "no") and not plural:
        article = "any" if noun.mass else indefinite_article(words[0])
    cases = {c: _german_form(noun, chosen, stem, plural, c) for c in CASES}
    plural_or_noun = ("they", "p") if plural else (noun.english_pronoun, noun.gender)
    return NounPhrase(
        " ".join([article, *words]).strip(),
        cases,
        *plural_or_noun,
        plural=plural,
        indefinite=word in ("a", "no", "bare", "some", "many", "number"),
        article=word == "the",
        noun=noun,
        possessive=possessive_of(*plural_or_noun),
    )


def _german_form(
    noun: Noun, determiner: _Determiner, stem: str, plural: bool, case: str
) -> str:
    gender = "p" if plural else noun.gender
    modifier = (
        german.adjective(stem, determiner.declension, gender, case) if stem else ""
    )
    words = [
        _forms(determiner, gender, case),
        modifier,
        german.decline(noun, plural, case),
    ]
    return " ".join(word for word in words if word)


def owned(chooser: Chooser, noun: Noun, owner: NounPhrase) -> NounPhrase:
    """Return "the teacher's old car" or "Anna's old car"."""
    english, stem = _modifier(chooser, noun, "possessive", False, 0.3)
    ending = "'" if owner.plural and owner.english.endswith("s") else "'s"
    english = " ".join(w for w in (owner.english + ending, english, noun.english) if w)
    named = owner.noun is None
    family = ("fixed", "strong") if named else ("the", "weak")
    determiner = _Determiner("", owner.german["gen"] if named else "", *family, False)
    cases = {c: _german_form(noun, determiner, stem, False, c) for c in CASES}
    if not named:
        cases = {c: f"{text} {owner.german['gen']}" for c, text in cases.items()}
    return NounPhrase(
        english,
        cases,
        noun.english_pronoun,
        noun.gender,
        article=not named,
        noun=noun,
        possessive=possessive_of(noun.english_pronoun, noun.gender),
    )
