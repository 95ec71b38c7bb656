"""Questions and commands."""

from __future__ import annotations

from dataclasses import replace

from toy_language import content
from toy_language.chooser import Chooser
from toy_language.clauses import (
    Clause,
    english_infinitive,
    english_question,
    english_statement,
    german_command,
    german_main,
    german_question,
)
from toy_language.noun_phrases import noun_phrase, pick_noun
from toy_language.pronouns import MEN, WOMEN, NounPhrase, pronoun
from toy_language.statements import Pair
from toy_language.verbs import VERBS_BY_FRAME, Verb

_WHO = NounPhrase("who", {"nom": "wer"}, "he", "m", possessive=("his", "sein"))
_UNWANTED = ("lose", "forget", "fall", "break", "cough")
_TENSES = {"present": 5, "past": 3, "perfect": 2, "future": 2, "can": 1, "want to": 1}


def _tense(chooser: Chooser, clause: Clause) -> Clause:
    """Give a question a tense; "do" shows it, so "read" is unambiguous here."""
    tense = chooser.weighted(_TENSES)
    if clause.verb.stative and tense not in ("present", "past"):
        tense = "present"
    if clause.subject.person == 2 and tense == "past":
        tense = "perfect" if not clause.verb.stative else "present"
    return replace(clause, tense=tense)


def yes_no(chooser: Chooser) -> Pair:
    """Return "Does the man read the book?": the German verb comes first."""
    clause = content.random_clause(chooser, adverbs=0.6, negation=0.0)
    return f"{english_question(clause)}?", f"{german_question(clause)}?"


def circumstances(chooser: Chooser) -> Pair:
    """Return a question with why, when or where."""
    word = chooser.pick(["why=warum", "when=wann", "where=wo"]).split("=")
    frames = {"acc": 4, "dat": 1, "none": 1}
    clause = content.random_clause(chooser, adverbs=0.0, negation=0.0, frames=frames)
    return (
        f"{english_question(clause, word[0])}?",
        f"{word[1]} {german_question(clause)}?",
    )


def who(chooser: Chooser) -> Pair:
    """Return "Who reads the book?"."""
    clause = content.random_clause(chooser, subject=_WHO, adverbs=0.7, negation=0.0)
    return f"{english_statement(clause)}?", f"{german_main(clause)}?"


def what(chooser: Chooser) -> Pair:
    """Return a question for an object: what, whom (wen, wem), which, how many."""
    if chooser.chance(0.15):
        verb = chooser.pick(VERBS_BY_FRAME["dat"][:5])
        subject = content.subject_for(chooser, ("person",))
        clause = _tense(chooser, Clause(subject, verb))
        return f"{english_question(clause, 'whom')}?", f"wem {german_question(clause)}?"
    verb = chooser.pick(VERBS_BY_FRAME["acc"])
    clause = Clause(content.subject_for(chooser, ("person",)), verb)
    noun_kind = chooser.pick(verb.objects)
    kind = chooser.weighted({"what": 3, "which": 6, "how many": 3})
    if kind == "what":
        person = noun_kind == "person"
        english, german = ("whom", "wen") if person else ("what", "was")
    else:
        english, german = _asked_object(chooser, verb, noun_kind, kind)
    clause = _tense(chooser, clause)
    return (
        f"{english_question(clause, english)}?",
        f"{german} {german_question(clause)}?",
    )


def _asked_object(
    chooser: Chooser, verb: Verb, noun_kind: str, kind: str
) -> tuple[str, str]:
    noun = pick_noun(chooser, (noun_kind,))
    word = "which" if noun.mass else kind
    chooser.note_pairing("object", verb.name, noun.head)
    plural = True if word == "how many" else None
    asked = noun_phrase(chooser, noun, word, plural=plural, adjective=0.3)
    return asked.english, asked.german["acc"]


def command(chooser: Chooser) -> Pair:
    """Return "Close the door!", with a name, "please" or a negation now and then."""
    frame = chooser.weighted(
        {"acc": 9, "dat": 2, "dat+acc": 3, "to": 1, "none": 1, "put": 1}
    )
    verb = chooser.pick(VERBS_BY_FRAME[frame])
    unfit = verb.stative or verb.english in _UNWANTED or "person" not in verb.subjects
    if unfit:
        return command(chooser)
    negated = chooser.chance(0.18)
    clause = content.core(
        chooser, verb, pronoun("you"), tense="present", negated=negated
    )
    please = not negated and chooser.chance(0.3)
    denied = clause.negated or clause.no_object
    english = ("please " if please else "") + ("do not " if denied else "")
    english += english_infinitive(clause)
    german = german_command(clause, please)
    if chooser.chance(0.3):
        called = chooser.pick(WOMEN + MEN)
        return f"{called}, {english}!", f"{called}, {german[0].lower()}{german[1:]}!"
    return f"{english}!", f"{german}!"
