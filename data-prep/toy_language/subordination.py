"""Sentences of two clauses with a finite verb each: subordinated or coordinated."""

from __future__ import annotations

from dataclasses import replace

from toy_language import content
from toy_language.adjectives import ADJECTIVES_BY_KIND
from toy_language.adverbials import Phrase
from toy_language.chooser import Chooser
from toy_language.clauses import (
    Clause,
    english_statement,
    german_main,
    german_subordinate,
)
from toy_language.noun_phrases import noun_phrase, pick_noun
from toy_language.nouns import NOUNS_BY_KIND
from toy_language.pronouns import referring_to
from toy_language.statements import Pair, be, event_or_state, predicate
from toy_language.verbs import Verb, parse_verb

_SAYING = [
    parse_verb(line, "none")
    for line in """
know/knew/known = wissen/weiß/wusste/gewusst stative :
say/said/said = sagen :
believe = glauben stative :
hope = hoffen stative :
write/wrote/written = schreiben/schreibt/schrieb/geschrieben :
claim = behaupten :
notice = bemerken/bemerkt/bemerkte/bemerkt :""".strip().split("\n")
]
_ASKING = [
    parse_verb(line, "none")
    for line in """
ask = fragen :
wonder = überlegen/überlegt/überlegte/überlegt :
forget/forgot/forgotten = vergessen/vergisst/vergaß/vergessen :""".strip().split("\n")
]
_CONJUNCTIONS = {
    Phrase("because", "weil"): 6,
    Phrase("although", "obwohl"): 4,
    Phrase("if", "wenn"): 3,
    Phrase("when", "wenn"): 4,
    Phrase("while", "während"): 2,
    Phrase("before", "bevor"): 2,
    Phrase("until", "bis"): 1,
    Phrase("as soon as", "sobald"): 1,
}


def _saying(chooser: Chooser, verbs: list[Verb]) -> Clause:
    subject = content.somebody(chooser)
    verb = chooser.pick(verbs)
    perfect = 0 if verb.stative else 2
    tense = chooser.weighted({"present": 6, "past": 4, "perfect": perfect})
    negated = chooser.chance(0.12)
    return Clause(subject, verb, tense, negated=negated)


def reported(chooser: Chooser) -> Pair:
    """Return "The man says that ..." or "The man asks whether / why / when ..."."""
    if chooser.chance(0.6):
        main, joint = _saying(chooser, _SAYING), Phrase("that", "dass")
    else:
        main = _saying(chooser, _ASKING)
        words = ["whether=ob", "whether=ob", "why=warum", "when=wann", "where=wo"]
        joint = Phrase(*chooser.pick(words).split("="))
    tense = "past" if main.tense == "past" else chooser.pick(["present", "perfect"])
    frames = {"acc": 3, "dat": 1, "none": 1} if joint.english == "where" else None
    subordinate = content.random_clause(
        chooser,
        subject=content.somebody(chooser),
        tense=tense,
        adverbs=0.3 if joint.english in ("that", "whether") else 0.0,
        frames=frames,
        negation=0.08,
    )
    return (
        f"{english_statement(main)} {joint.english} {english_statement(subordinate)}.",
        f"{german_main(main)}, {joint.german} {german_subordinate(subordinate)}.",
    )


def subordinate(chooser: Chooser) -> Pair:
    """Return a main clause with because, although, if, when, ...; either may lead."""
    joint = chooser.weighted(_CONJUNCTIONS)
    past = chooser.chance(0.4) and joint.english != "if"
    if joint.english == "when" and past:
        joint = Phrase("when", "als")
    tense = "past" if past else "present"
    leader = event_or_state(chooser, tense)
    follower_subject = referring_to(leader.subject) if chooser.chance(0.6) else None
    follower_tense = tense
    sub_leads = chooser.chance(0.45)
    if sub_leads and not past and chooser.chance(0.3):
        follower_tense = chooser.pick(["future", "must", "can"])
    follower = event_or_state(chooser, follower_tense, follower_subject)
    if joint.english in ("when", "until"):
        # "Often ... when" would ask for "immer wenn" in the past.
        leader, follower = (replace(c, frequency=None) for c in (leader, follower))
    if sub_leads:
        english = f"{joint.english} {english_statement(leader)}, "
        first = f"{joint.german} {german_subordinate(leader)},"
        return (
            f"{english}{english_statement(follower)}.",
            f"{german_main(follower, first)}.",
        )
    return (
        f"{english_statement(leader)} {joint.english} {english_statement(follower)}.",
        f"{german_main(leader)}, {joint.german} {german_subordinate(follower)}.",
    )


def about_object(chooser: Chooser) -> Pair:
    """Return "She buys the lamp although it is old.": "it" has the lamp's gender."""
    tense = chooser.pick(["present", "past"])
    frames = {"acc": 1}
    main = content.random_clause(
        chooser,
        subject=content.somebody(chooser),
        tense=tense,
        adverbs=0.0,
        negation=0.2,
        frames=frames,
    )
    thing = main.accusative
    noun = thing.noun if thing else None
    if thing is None or noun is None or noun.kind == "person" or main.no_object:
        chooser.start_sentence()
        return about_object(chooser)
    joint = chooser.pick([Phrase("because", "weil"), Phrase("although", "obwohl")])
    adjective = chooser.pick(ADJECTIVES_BY_KIND[noun.kind])
    chooser.note_pairing("adjective", adjective.english, noun.head)
    reason = be(referring_to(thing), predicate(chooser, adjective), tense)
    return (
        f"{english_statement(main)} {joint.english} {english_statement(reason)}.",
        f"{german_main(main)}, {joint.german} {german_subordinate(reason)}.",
    )


def coordination(chooser: Chooser) -> Pair:
    """Return two main clauses: and, but, or first ..., then ... with inversion."""
    tense = chooser.pick(["present", "past"])
    kind = chooser.weighted({"und": 4, "aber": 4, "dann": 4})
    if kind == "dann":
        return _sequence(chooser, tense)
    first = event_or_state(chooser, tense)
    if kind == "und":
        second = event_or_state(chooser, tense)
        return (
            f"{english_statement(first)} and {english_statement(second)}.",
            f"{german_main(first)} und {german_main(second)}.",
        )
    again = referring_to(first.subject) if chooser.chance(0.7) else None
    second = event_or_state(chooser, tense, again)
    return (
        f"{english_statement(first)}, but {english_statement(second)}.",
        f"{german_main(first)}, aber {german_main(second)}.",
    )


def _sequence(chooser: Chooser, tense: str) -> Pair:
    """Return "First the man ..., then he ...": the verb stays second after both."""
    subject = content.somebody(chooser)
    first, second = (
        content.random_clause(
            chooser, subject=who, tense=tense, adverbs=0.2, negation=0.0, active=True
        )
        for who in (subject, referring_to(subject))
    )
    return (
        f"first {english_statement(first)}, then {english_statement(second)}.",
        f"{german_main(first, 'zuerst')}, {german_main(second, 'dann')}.",
    )


def contrast(chooser: Chooser) -> Pair:
    """Return "The table is old, but it is beautiful."."""
    kind = chooser.pick([k for k in ADJECTIVES_BY_KIND if k in NOUNS_BY_KIND])
    noun = pick_noun(chooser, (kind,))
    word = chooser.pick(["the", "possessive", "this"])
    thing = noun_phrase(chooser, noun, word, adjective=0.1)
    first = second = chooser.pick(ADJECTIVES_BY_KIND[kind])
    while second == first:
        second = chooser.pick(ADJECTIVES_BY_KIND[kind])
    for adjective in (first, second):
        chooser.note_pairing("adjective", adjective.english, noun.head)
    tense = chooser.pick(["present", "past"])
    left = be(thing, predicate(chooser, first), tense)
    right = be(referring_to(thing), predicate(chooser, second), tense)
    return (
        f"{english_statement(left)}, but {english_statement(right)}.",
        f"{german_main(left)}, aber {german_main(right)}.",
    )
