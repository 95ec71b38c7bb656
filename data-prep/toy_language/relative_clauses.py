"""Sentences with a relative clause: its pronoun has the noun's gender, its own case."""

from __future__ import annotations

from dataclasses import replace

from toy_language import content, german
from toy_language.adjectives import ADJECTIVES_BY_KIND
from toy_language.chooser import Chooser
from toy_language.clauses import (
    Clause,
    english_statement,
    german_main,
    german_subordinate,
)
from toy_language.noun_phrases import noun_phrase, pick_noun
from toy_language.nouns import Noun
from toy_language.pronouns import NounPhrase
from toy_language.statements import Pair, be, event_or_state, predicate, state
from toy_language.verbs import VERBS_BY_FRAME

_DIRECT = VERBS_BY_FRAME["acc"]
_DATIVE = [v for v in VERBS_BY_FRAME["dat"] if not v.particle]


def _relative_subject(chooser: Chooser, phrase: NounPhrase, noun: Noun) -> NounPhrase:
    """The man who sells the car: der das Auto verkauft."""
    nominative = german.relative_pronoun(phrase.gender, "nom")
    english_who = replace(phrase, english="who" if noun.kind == "person" else "that")
    if noun.kind != "person":
        clause = state(chooser, english_who, chooser.pick(["present", "past"]))
    else:
        clause = content.random_clause(
            chooser,
            subject=english_who,
            tense=chooser.pick(["present", "past", "perfect"]),
            adverbs=0.25,
            negation=0.06,
        )
    return phrase.with_relative_clause(
        english_statement(clause), german_subordinate(clause, relative=nominative)
    )


def _relative_object(chooser: Chooser, phrase: NounPhrase, noun: Noun) -> NounPhrase:
    """The book that the man reads: das der Mann liest; dative: dem er hilft."""
    dative = noun.kind == "person" and chooser.chance(0.4)
    verbs = _DATIVE if dative else _DIRECT
    fitting = [v for v in verbs if noun.kind in v.objects]
    if not fitting:
        return _relative_subject(chooser, phrase, noun)
    verb, subject = chooser.pick(fitting), content.somebody(chooser)
    chooser.note_pairing("object", verb.name, noun.head)
    tense = chooser.pick(["present", "past", "perfect", "want to", "must"])
    if not content.suits(verb, subject, tense):
        tense = "future"
    clause = Clause(subject, verb, tense)
    link = german.relative_pronoun(phrase.gender, "dat" if dative else "acc")
    return phrase.with_relative_clause(
        f"{'whom' if noun.kind == 'person' else 'that'} {english_statement(clause)}",
        f"{link} {german_subordinate(clause)}",
    )


def _relative_preposition(
    chooser: Chooser, phrase: NounPhrase, noun: Noun
) -> NounPhrase:
    """The bus for which he waits: auf den er wartet."""
    verbs = VERBS_BY_FRAME["pp"]
    fitting = [v for v in verbs if noun.kind in v.objects]
    if not fitting:
        return _relative_object(chooser, phrase, noun)
    verb, subject = chooser.pick(fitting), content.somebody(chooser)
    chooser.note_pairing("object", verb.name, noun.head)
    clause = Clause(
        subject, replace(verb, particle=""), chooser.pick(["present", "past"])
    )
    link = german.relative_pronoun(phrase.gender, verb.case)
    who = "whom" if noun.kind == "person" else "which"
    return phrase.with_relative_clause(
        f"{verb.particle} {who} {english_statement(clause)}",
        f"{verb.preposition} {link} {german_subordinate(clause)}",
    )


def _relative_possessive(
    chooser: Chooser, phrase: NounPhrase, noun: Noun
) -> NounPhrase:
    """The woman whose car is old: deren Auto alt ist."""
    if noun.kind != "person":
        return _relative_object(chooser, phrase, noun)
    kinds = ("clothes", "vehicle", "animal", "text", "instrument")
    owned = pick_noun(chooser, (chooser.pick(kinds),))
    thing = noun_phrase(chooser, owned, "bare", plural=False, adjective=0.0)
    adjective = chooser.pick(ADJECTIVES_BY_KIND[owned.kind])
    chooser.note_pairing("adjective", adjective.english, owned.head)
    clause = be(thing, predicate(chooser, adjective), chooser.pick(["present", "past"]))
    link = german.relative_pronoun(phrase.gender, "gen")
    return phrase.with_relative_clause(
        f"whose {english_statement(clause)}", f"{link} {german_subordinate(clause)}"
    )


_RELATIVES = {
    _relative_subject: 5,
    _relative_object: 6,
    _relative_preposition: 2,
    _relative_possessive: 2,
}


def relative(chooser: Chooser) -> Pair:
    """Return a sentence with a relative clause on its subject or its last object."""
    if chooser.chance(0.5):
        return _relative_on_object(chooser)
    noun = pick_noun(chooser, ("person",))
    word = chooser.weighted({"the": 8, "this": 1, "a": 1})
    phrase = noun_phrase(chooser, noun, word, adjective=0.25)
    subject = chooser.weighted(_RELATIVES)(chooser, phrase, noun)
    clause = event_or_state(chooser, chooser.pick(["present", "past"]), subject)
    return f"{english_statement(clause)}.", f"{german_main(clause)}."


def _relative_on_object(chooser: Chooser) -> Pair:
    clause = content.random_clause(
        chooser,
        subject=content.somebody(chooser),
        tense=chooser.pick(["present", "past"]),
        adverbs=0.0,
        negation=0.0,
        frames={"acc": 5, "dat": 1},
    )
    thing = clause.accusative or clause.dative
    determined = thing is not None and thing.noun is not None
    if clause.verb.prefix or thing is None or not determined or not thing.article:
        chooser.start_sentence()
        return _relative_on_object(chooser)
    assert thing.noun is not None
    longer = chooser.weighted(_RELATIVES)(chooser, thing, thing.noun)
    if clause.accusative:
        clause = replace(clause, accusative=longer)
    else:
        clause = replace(clause, dative=longer)
    return f"{english_statement(clause)}.", f"{german_main(clause)}."
