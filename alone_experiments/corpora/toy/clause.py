"""A clause in both languages: its parts, which the orders of the file put in a row."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from . import english, german
from .phrases import Phrase
from .words import Complement, Lexicon, Tense, Verb

_BE = {"base": "be", "ing": "being", "participle": "been"}


@dataclass(frozen=True)
class Plan:
    """What is settled about a clause of a sentence; the file explains the fields."""

    verbs: str = "acts"
    subject: str = ""
    object: str = ""
    determiner: str = ""
    tense: str = ""
    adverbs: float = 0.0
    negated: float = 0.0
    passive: bool = False
    front: bool = False
    active: bool = False


@dataclass(frozen=True)
class Clause:
    """What a clause says."""

    lexicon: Lexicon
    plan: Plan
    subject: Phrase
    verb: Verb
    tense: Tense
    objects: list[tuple[Complement, Phrase]]  # in the English order
    negated: bool
    nicht: bool  # negated, but not by kein
    adverbials: dict[str, Phrase] = field(default_factory=dict)

    def form(self, order: str, language: str) -> str:
        """Return the clause in "en" or "de", in an order of the file."""
        parts = {name: said.form(language) for name, said in self.adverbials.items()}
        parts |= _english(self) if language == "en" else _german(self)
        return _join(parts.get(name, "") for name in self.lexicon.orders[order].split())


def _join(words: Iterable[str]) -> str:
    return " ".join(filter(None, words))


def _english(clause: Clause) -> dict[str, str]:
    verb, tense = clause.verb, clause.tense.en
    ing = english.inflected(verb.en, "ing")
    forms = {"base": verb.en, "ing": ing, "participle": verb.en_participle}
    if clause.plan.passive:
        forms = {form: f"{be} {verb.en_participle}" for form, be in _BE.items()}
    words = [forms.get(word, word) for word in tense.split()]
    first, _, rest = " ".join(words).partition(" ")
    helps = first in clause.lexicon.auxiliaries
    if first == "have":
        helps = tense == "have participle"
    do, asked = (first, rest) if helps else ("do", _join((first, rest)))
    moves = helps or clause.negated
    objects = _join(said.form("object") for _, said in clause.objects)
    return {
        "subject": clause.subject.form("en"),
        "finite": _finite(clause, do) if moves else "",
        "others": asked if moves else _join((_finite(clause, first), rest)),
        "do": _finite(clause, do),
        "asked": asked,
        "not": "not" if clause.negated else "",
        "particle": verb.particle,
        "ing": ing,
        "front" if clause.plan.front else "objects": objects,
    }


def _finite(clause: Clause, word: str) -> str:
    verb = clause.verb
    past = verb.en_past if word == verb.en else english.inflected(word, "ed")
    return _conjugated(clause, word, english.conjugated(word, past))


def _conjugated(clause: Clause, word: str, regular: list[str]) -> str:
    forms = clause.lexicon.auxiliaries.get(word, "").split() or regular
    return forms[(clause.subject.person + 4 * clause.tense.past) % len(forms)]


def _german(clause: Clause) -> dict[str, str]:
    verb, (helper, form) = clause.verb, clause.tense.de.split() or ("", "")
    infinitive, participle = verb.prefix + verb.de, verb.de_participle
    others = {"": verb.prefix, "infinitive": infinitive, "participle": participle}[form]
    if clause.plan.passive:
        helper = helper or "werden"
        helped = {"infinitive": "werden", "participle": "worden"}
        others = _join((participle, helped.get(form, "")))
    if helper == "haben" and ("sein" in verb.marks or clause.plan.passive):
        helper = "sein"
    finite = _conjugated(clause, helper or verb.de, german.conjugated(verb))
    return _german_objects(clause) | {
        "subject": clause.subject.form("nom"),
        "finite": finite,
        "others": others,
        "end": f"{others} {finite}" if helper else verb.prefix + finite,
        "not": "nicht" if clause.nicht else "",
        "adverb": clause.tense.adverb,
        "imperative": german.imperative(verb),
        "zu": f"{verb.prefix}zu{verb.de}" if verb.prefix else f"zu {verb.de}",
    }


def _german_objects(clause: Clause) -> dict[str, str]:
    """Return the objects by their place in the clause."""
    places = {}
    for complement, said in clause.objects:
        text = said.form(complement.case or "de")
        if complement.preposition:
            text = f"{complement.preposition} {text}"
            text = text if said.light else german.contract(text)
        places["front" if clause.plan.front else _place(complement, said)] = text
    return places


def _place(complement: Complement, said: Phrase) -> str:
    if complement.preposition or not complement.case:
        return "far"
    if said.light:
        return "light"
    return "new" if said.new and complement.case == "acc" else complement.case
