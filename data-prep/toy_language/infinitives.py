"""Sentences with an infinitive clause: zu, um ... zu, ohne ... zu, statt ... zu."""

from __future__ import annotations

from toy_language import content
from toy_language.adverbials import Phrase
from toy_language.chooser import Chooser
from toy_language.clauses import (
    Clause,
    english_gerund,
    english_infinitive,
    english_statement,
    german_infinitive,
    german_main,
)
from toy_language.pronouns import NounPhrase, pronoun
from toy_language.statements import Pair
from toy_language.verbs import VERBS, parse_verb

_INTENDING = [
    parse_verb(line, "none")
    for line in """
try = versuchen/versucht/versuchte/versucht :
forget/forgot/forgotten = vergessen/vergisst/vergaß/vergessen :
hope = hoffen stative :
promise = versprechen/verspricht/versprach/versprochen :
begin/began/begun = beginnen/beginnt/begann/begonnen :
plan = planen :
decide = beschließen/beschließt/beschloss/beschlossen :""".strip().split("\n")
]
_JUDGEMENT_WORDS = """
important=wichtig difficult=schwierig simple=einfach dangerous=gefährlich
healthy=gesund boring=langweilig stupid=dumm interesting=interessant"""
_JUDGEMENTS = [Phrase(*pair.split("=")) for pair in _JUDGEMENT_WORDS.split()]
_UNINTENDED = ("fall", "lose", "forget")
_ACTIVITIES = [
    verb
    for verb in VERBS
    if not verb.stative
    and "person" in verb.subjects
    and verb.english not in _UNINTENDED
]
_MOST_FRAMES = ("acc", "acc", "dat", "dat+acc", "none", "to", "put", "pp")


def _activity(chooser: Chooser, subject: NounPhrase, frames: tuple[str, ...]) -> Clause:
    verb = chooser.pick([v for v in _ACTIVITIES if v.frame in frames])
    return content.core(chooser, verb, subject, tense="present")


def intention(chooser: Chooser) -> Pair:
    """Return "He tries to open the door." or "It is important to ..."."""
    if chooser.chance(0.25):
        frames = ("none", "to", "dat", "pp")
        what = _activity(chooser, pronoun("we"), frames)
        judgement = chooser.pick(_JUDGEMENTS)
        copula = chooser.pick(["is=ist", "was=war", "is not=ist nicht"]).split("=")
        return (
            f"it {copula[0]} {judgement.english} to {english_infinitive(what)}.",
            f"es {copula[1]} {judgement.german}, {german_infinitive(what)}.",
        )
    verb, subject = chooser.pick(_INTENDING), content.somebody(chooser)
    perfect = 0 if verb.stative else 3
    tense = chooser.weighted({"present": 4, "past": 4, "perfect": perfect})
    main = Clause(subject, verb, tense)
    what = _activity(chooser, subject, _MOST_FRAMES)
    return (
        f"{english_statement(main)} to {english_infinitive(what)}.",
        f"{german_main(main)}, {german_infinitive(what)}.",
    )


def purpose(chooser: Chooser) -> Pair:
    """Return "... in order to / without / instead of ...": um, ohne, statt ... zu."""
    subject = content.somebody(chooser)
    tense = chooser.pick(["present", "past", "perfect"])
    frames = {"to": 3, "acc": 3, "none": 2}
    main = content.random_clause(
        chooser, subject=subject, tense=tense, adverbs=0.0, negation=0.0, frames=frames
    )
    what = _activity(chooser, subject, _MOST_FRAMES)
    kind = chooser.weighted({"um": 5, "ohne": 3, "statt": 2})
    english = {
        "um": f"in order to {english_infinitive(what)}",
        "ohne": f"without {english_gerund(what)}",
        "statt": f"instead of {english_gerund(what)}",
    }[kind]
    return (
        f"{english_statement(main)} {english}.",
        f"{german_main(main)}, {kind} {german_infinitive(what)}.",
    )
