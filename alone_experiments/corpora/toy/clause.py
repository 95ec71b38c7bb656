"""A clause in both languages: its parts, which the orders of the file put in a row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from . import english, german
from .phrases import Phrase
from .words import Complement, Lexicon, Tense, Verb

_MODALS = ("will", "can", "could", "must", "should", "would")


@dataclass(frozen=True)
class Clause:
    """What a clause says.

    Attributes:
        objects: what the verb goes with, in the English order.
        adverbials: "time", "often", "manner", "place", and "agent" in a passive.
        passive: the subject is what something is done to.
        negated: English "not"; in German ``nicht``, but not beside kein.
        front: the first object stands before the clause: a question, a relative clause.
    """

    lexicon: Lexicon
    subject: Phrase
    verb: Verb
    tense: Tense
    objects: list[tuple[Complement, Phrase]]
    adverbials: dict[str, Phrase]
    passive: bool
    negated: bool
    nicht: bool
    front: bool

    @property
    def object(self) -> Phrase:
        """The last object."""
        return self.objects[-1][1]

    def form(self, order: str, language: str) -> str:
        """Return the clause in "en" or "de", in an order of the file."""
        parts = {
            name: phrase.form(language) for name, phrase in self.adverbials.items()
        }
        parts |= _english(self) if language == "en" else _german(self)
        return _join(parts.get(name, "") for name in self.lexicon.orders[order])


def _join(words: Iterable[str]) -> str:
    return " ".join(filter(None, words))


def _english(clause: Clause) -> dict[str, str]:
    verb, participle = clause.verb, clause.verb.en_participle
    ing = english.inflected(verb.en, "ing")
    forms = {"base": verb.en, "ing": ing, "participle": participle}
    if clause.passive and clause.tense.en:
        be = {"base": "be", "ing": "being", "participle": "been"}
        forms = {form: f"{be[form]} {participle}" for form in be}
    plain = ["be", "participle"] if clause.passive else [verb.en]
    first, *others = clause.tense.en.split() or plain
    rest = _join(forms.get(word, word) for word in others)
    helps = others and first in ("be", "have", *_MODALS) and others[0] != "to"
    if helps or first == "be":
        do, asked = _finite(clause, first), rest
    else:
        do, asked = _finite(clause, "do"), _join((first, rest))
    moves = helps or first == "be" or clause.negated
    objects = [phrase.form("object") for _, phrase in clause.objects]
    return {
        "subject": clause.subject.en,
        "finite": do if moves else "",
        "others": asked if moves else _join((_finite(clause, first), rest)),
        "do": do,
        "asked": asked,
        "not": "not" if clause.negated else "",
        "particle": verb.particle,
        "base": verb.en,
        "ing": ing,
        "front": objects[0] if clause.front else "",
        "objects": _join(objects[clause.front :]),
    }


def _finite(clause: Clause, word: str) -> str:
    subject, past = clause.subject, clause.tense.past
    if word == "be":
        return english.form_of_be(subject.pronoun, past)
    if past:
        irregular = {"have": "had", "do": "did", clause.verb.en: clause.verb.en_past}
        irregular |= {modal: modal for modal in _MODALS}
        return irregular.get(word) or english.inflected(word, "ed")
    third = subject.person == 3 and not subject.plural and word not in _MODALS
    return english.with_s(word) if third else word


def _german(clause: Clause) -> dict[str, str]:
    verb, (helper, form) = clause.verb, clause.tense.de.split() or ("", "")
    others = verb.prefix + verb.de if form == "infinitive" else verb.de_participle
    if clause.passive:
        last = {"": "", "infinitive": "werden", "participle": "worden"}[form]
        others, helper = _join((verb.de_participle, last)), helper or "werden"
    if helper == "haben" and ("sein" in verb.marks or clause.passive):
        helper = "sein"
    finite = _conjugated(clause, helper or verb.de)
    parts = {"others": others, "end": f"{others} {finite}"}
    if not helper:
        parts = {"others": verb.prefix, "end": verb.prefix + finite}
    for place, (complement, phrase) in enumerate(clause.objects):
        role = "front" if clause.front and place == 0 else _role(complement, phrase)
        parts[role] = phrase.form(complement.case or "de")
        if complement.preposition:
            parts[role] = f"{complement.preposition} {parts[role]}"
            parts[role] = parts[role] if phrase.light else german.contract(parts[role])
    return parts | {
        "subject": clause.subject.form("nom"),
        "finite": finite,
        "not": "nicht" if clause.nicht else "",
        "adverb": clause.tense.adverb,
        "imperative": german.imperative(verb),
        "prefix": verb.prefix,
        "zu": f"{verb.prefix}zu{verb.de}" if verb.prefix else f"zu {verb.de}",
    }


def _role(complement: Complement, phrase: Phrase) -> str:
    if complement.preposition or not complement.case:
        return "far"
    if phrase.light:
        return "light"
    return "new" if phrase.new and complement.case == "acc" else complement.case


def _conjugated(clause: Clause, infinitive: str) -> str:
    subject, verb = clause.subject, clause.verb
    *present, past = clause.lexicon.auxiliaries.get(infinitive, [verb.de_past])
    if clause.tense.past:
        return german.past(past, subject.person, subject.plural)
    if present:
        return present[3 if subject.plural else subject.person - 1]
    return german.present(verb, subject.person, subject.plural)
