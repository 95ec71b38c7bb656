"""Random content: a verb with subject, objects and adverbials that suit it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from toy_language import adverbials
from toy_language.adverbials import Phrase
from toy_language.chooser import Chooser
from toy_language.clauses import Clause
from toy_language.noun_phrases import noun_phrase, owned, pick_noun
from toy_language.pronouns import NounPhrase, name, pronoun
from toy_language.verbs import VERBS_BY_FRAME, Verb

TENSES = {
    "present": 26,
    "past": 20,
    "perfect": 12,
    "progressive": 8,
    "future": 10,
    "can": 4,
    "must": 4,
    "want to": 4,
    "should": 3,
    "would like to": 3,
    "is allowed to": 2,
    "could": 2,
    "had to": 2,
    "wanted to": 2,
    "was allowed to": 1,
}
_FRAMES = {
    "acc": 52,
    "dat": 9,
    "dat+acc": 10,
    "pp": 8,
    "none": 9,
    "to": 8,
    "at": 6,
    "put": 4,
}
_PERSONS_ONLY = ("person",)
# Particles after which a pronoun may follow: "looks at him", but not "turns on it".
_PREPOSITIONS = ("", "for", "at", "to", "with", "about", "of")
_ON_FOOT = ("go", "run", "hurry", "walk")
_FUTURE_LIKE = ("future", "can", "must", "want to", "should", "would like to")


def subject_for(chooser: Chooser, kinds: Sequence[str]) -> NounPhrase:
    """Return a subject of one of the kinds: a noun phrase, a name or a pronoun."""
    if "person" in kinds and chooser.chance(
        1 if tuple(kinds) == _PERSONS_ONLY else 0.7
    ):
        kind = chooser.weighted({"noun": 12, "name": 4, "pronoun": 5, "two": 1})
        if kind == "name":
            return name(chooser)
        if kind == "pronoun":
            return pronoun(chooser.pick(["I", "you", "he", "she", "we", "they"]))
        if kind == "two":
            return _two_people(chooser)
        kinds = ("person",)
    return noun_phrase(chooser, pick_noun(chooser, tuple(kinds)), adjective=0.3)


def somebody(chooser: Chooser) -> NounPhrase:
    """Return a person as subject, not "you"."""
    person = subject_for(chooser, ("person",))
    while person.person == 2:
        person = subject_for(chooser, ("person",))
    return person


def _two_people(chooser: Chooser) -> NounPhrase:
    first = second = name(chooser)
    while second.english == first.english:
        second = name(chooser)
    they = pronoun("they")
    cases = {c: f"{first.german[c]} und {second.german[c]}" for c in they.german}
    english = f"{first.english} and {second.english}"
    return replace(
        they, english=english, english_object=english, german=cases, is_pronoun=False
    )


def object_for(
    chooser: Chooser, verb: Verb, subject: NounPhrase | None, determiner: str = ""
) -> NounPhrase:
    """Return an object that suits the verb, noting the pairing."""
    kinds = verb.objects
    if "person" in kinds and not determiner and chooser.chance(0.4 / len(kinds)):
        simple = verb.particle.split(" ")[-1] in _PREPOSITIONS
        if not simple or chooser.chance(0.5):
            return name(chooser)
        others = [
            p for p in ("he", "she", "they") if not subject or p != subject.pronoun
        ]
        return pronoun(chooser.pick(others))
    noun = pick_noun(chooser, (chooser.pick(kinds),))
    chooser.note_pairing("object", verb.name, noun.head)
    ownable = noun.kind not in ("person", "idea") and not noun.mass
    if ownable and not determiner and chooser.chance(0.07):
        return owned(chooser, noun, _owner(chooser))
    owner = subject if subject and chooser.chance(0.75) else None
    return noun_phrase(chooser, noun, determiner, owner=owner)


def _owner(chooser: Chooser) -> NounPhrase:
    if chooser.chance(0.4):
        return name(chooser)
    noun = pick_noun(chooser, ("person",), 0)
    word = "the" if chooser.chance(0.6) else "possessive"
    return noun_phrase(chooser, noun, word, adjective=0.0)


def recipient(chooser: Chooser, subject: NounPhrase | None) -> NounPhrase:
    """Return the person to whom something is given."""
    if chooser.chance(0.25):
        return name(chooser)
    if chooser.chance(0.25):
        others = [
            p for p in ("he", "she", "they") if not subject or p != subject.pronoun
        ]
        return pronoun(chooser.pick(others))
    noun = pick_noun(chooser, ("person",))
    word = chooser.weighted({"the": 6, "possessive": 4, "a": 1, "this": 1})
    return noun_phrase(chooser, noun, word, owner=subject, adjective=0.25)


def tense_for(chooser: Chooser, verb: Verb, subject: NounPhrase) -> str:
    """Choose a tense that is natural and unambiguous for verb and subject."""
    tense = chooser.weighted(TENSES)
    while not suits(verb, subject, tense):
        tense = chooser.weighted(TENSES)
    return tense


def suits(verb: Verb, subject: NounPhrase, tense: str) -> bool:
    """Whether a tense is natural, and can be read off the English form.

    "They read it" may be present or past; the past of "du" is hardly ever used.
    """
    simple = ("present", "past", "future")
    if tense == "past" and subject.person == 2:
        return False
    third = subject.person == 3 and not subject.plural
    if verb.english_past == verb.english and not third and tense in simple[:2]:
        return False
    thing = subject.noun is not None and subject.noun.kind not in ("person", "animal")
    return tense in simple or not (thing or verb.stative)


def choose_verb(chooser: Chooser, frames: dict[str, int] | None = None) -> Verb:
    """Choose a verb; all verbs of a frame are equally likely."""
    return chooser.pick(VERBS_BY_FRAME[chooser.weighted(frames or _FRAMES)])


def core(
    chooser: Chooser,
    verb: Verb,
    subject: NounPhrase,
    *,
    tense: str = "",
    negated: bool = False,
) -> Clause:
    """Return a clause with the objects its verb demands, no adverbials."""
    chosen = tense or tense_for(chooser, verb, subject)
    if chosen in ("must", "had to"):
        negated = False
    kein = negated and "acc" in verb.frame and chooser.chance(0.5)
    if kein:
        determiner = "no"
    else:
        determiner = chooser.pick(["the", "possessive", "this"]) if negated else ""
    clause = Clause(subject, verb, chosen, negated=negated and not kein, no_object=kein)
    if verb.frame in ("acc", "dat+acc", "put"):
        given = (
            chooser.pick(["the", "possessive"]) if verb.frame == "put" else determiner
        )
        thing = object_for(chooser, verb, subject, given)
        clause = replace(clause, accusative=thing)
    if verb.frame == "dat":
        clause = replace(clause, dative=object_for(chooser, verb, subject, determiner))
    if verb.frame == "dat+acc":
        clause = replace(clause, dative=recipient(chooser, subject))
    return replace(clause, oblique=_oblique(chooser, verb, subject))


def _oblique(chooser: Chooser, verb: Verb, subject: NounPhrase) -> Phrase | None:
    if verb.frame == "pp":
        target = object_for(chooser, verb, subject)
        return Phrase(target.as_object, target.after(verb.preposition, verb.case))
    if verb.frame == "to":
        return adverbials.direction(chooser, verb.english in _ON_FOOT)
    if verb.frame == "put":
        if verb.english == "put" and chooser.chance(0.5):
            return adverbials.into_container(chooser)
        return adverbials.on_furniture(chooser, "acc")
    if verb.frame == "at":
        return _position(chooser, verb, subject)
    return None


def _position(chooser: Chooser, verb: Verb, subject: NounPhrase) -> Phrase:
    kind = subject.noun.kind if subject.noun else "person"
    if verb.english in ("live", "stay"):
        return adverbials.inside(chooser, ("building", "area"))
    if kind in ("dishware", "clothes", "text") or verb.english == "sit":
        return adverbials.on_furniture(chooser, "dat")
    if kind == "vehicle" or chooser.chance(0.4):
        return adverbials.beside(chooser)
    return adverbials.inside(chooser, ("room", "area", "edge"))


def with_adverbials(chooser: Chooser, clause: Clause, amount: float = 1.0) -> Clause:
    """Add adverbials of time, frequency, manner and place where they fit.

    Args:
        chooser: the stream of choices.
        clause: a clause from ``core``.
        amount: scales the probability of each adverbial.
    """
    tense, verb = clause.tense, clause.verb
    if clause.negated or clause.no_object or tense == "progressive":
        return clause
    kind = chooser.weighted({"time": 44, "often": 14, "none": 42})
    person = clause.subject.noun is None or clause.subject.noun.kind == "person"
    if kind == "time" and tense != "perfect" and chooser.chance(amount):
        clause = replace(clause, time=adverbials.time(chooser, period(tense)))
    simple = tense in ("present", "past", "perfect")
    if kind == "often" and simple and verb.frame != "at" and chooser.chance(amount):
        often = adverbials.frequency(chooser, tense == "perfect")
        clause = replace(clause, frequency=often)
    place_fits = verb.frame in ("acc", "dat", "none") and not verb.stative
    if place_fits and chooser.chance(0.28 * amount):
        clause = replace(clause, place=adverbials.place(chooser))
    elif (
        place_fits and person and not clause.frequency and chooser.chance(0.12 * amount)
    ):
        clause = replace(clause, manner=adverbials.manner(chooser))
    return clause


def period(tense: str) -> str:
    """Return "past", "present" or "future": which adverbials suit a tense."""
    if tense in ("past", "could", "had to", "wanted to", "was allowed to"):
        return "past"
    return "future" if tense in _FUTURE_LIKE else "present"


def random_clause(
    chooser: Chooser,
    *,
    subject: NounPhrase | None = None,
    tense: str = "",
    adverbs: float = 1.0,
    negation: float = 0.1,
    frames: dict[str, int] | None = None,
    active: bool = False,
) -> Clause:
    """Return a whole clause; what is not given is chosen.

    A tense, or ``active`` (an act, not a state), may be given only together with a
    subject, which must be a person.
    """
    verb = choose_verb(chooser, frames)
    while subject and not _goes_with(verb, subject, tense, active):
        verb = choose_verb(chooser, frames)
    who = subject or subject_for(chooser, verb.subjects)
    clause = core(chooser, verb, who, tense=tense, negated=chooser.chance(negation))
    return with_adverbials(chooser, clause, adverbs)


def _goes_with(verb: Verb, person: NounPhrase, tense: str, active: bool) -> bool:
    fits = "person" in verb.subjects and not (active and verb.stative)
    return fits and (not tense or suits(verb, person, tense))
