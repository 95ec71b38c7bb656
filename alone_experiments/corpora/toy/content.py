"""What a clause says: a verb, with subject, objects and adverbials that suit it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from . import german
from .clause import Clause
from .phrases import Phrase, noun_phrase, pick_noun, pronoun, someone
from .speaker import Speaker
from .templates import fill, phrase
from .words import Complement, Verb

Said = Mapping[str, Clause | Phrase]
# After these a pronoun may follow: "looks at him", but not "wakes up him".
_PREPOSITIONS = ("for", "at", "to", "with", "about", "of")
_PATIENCE = 10_000


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


def make_clause(speaker: Speaker, plan: Plan, said: Said) -> Clause:
    """Return a clause; what its plan leaves open is chosen.

    Args:
        speaker: chooses.
        plan: what is settled.
        said: the clauses and phrases of the sentence so far, by name.
    """
    subject, given = (_referred(speaker, t, said) for t in (plan.subject, plan.object))
    allowed = _tenses(speaker, plan, said)
    verb = _verb(speaker, plan, subject, given, allowed)
    tenses: dict[str, int] = {}
    while not tenses:
        who = subject or _subject(speaker, verb, plan)
        tenses = {t: allowed[t] for t in allowed if _suits(verb, who, t, plan.passive)}
    tense = speaker.weighted(tenses)
    negated = speaker.chance(plan.negated) and tense not in ("must", "had_to")
    if negated and not plan.determiner:
        plan = replace(plan, determiner=speaker.pick(("denied", "definite")))
    complements = () if plan.passive else verb.complements
    kein = plan.determiner == "denied" and any(c.case for c in complements)
    clause = Clause(
        lexicon=speaker.lexicon,
        subject=who,
        verb=verb,
        tense=speaker.lexicon.tenses[tense],
        objects=[
            (c, given or _object(speaker, c, verb, who, plan)) for c in complements
        ],
        adverbials={},
        passive=plan.passive,
        negated=negated,
        nicht=negated and not kein,
        front=plan.front,
    )
    if not (negated or verb.en == "be" or tense == "progressive"):
        _add_adverbials(speaker, clause, plan.adverbs)
    return clause


def _referred(speaker: Speaker, text: str, said: Said) -> Phrase | None:
    """Return who or what a plan names, or None where it leaves that open."""
    how, _, target = text.partition(" ")
    if how not in ("relative", "pronoun", "same"):
        if text in speaker.lexicon.pronouns:
            return pronoun(speaker, text)
        return fill(speaker, text) if text not in ("", "asked") else None
    name, _, role = target.partition(".")
    spoken = said[name]
    whom: Phrase = spoken if isinstance(spoken, Phrase) else getattr(spoken, role)
    if how == "same" or whom.person < 3:
        return whom
    if how == "pronoun":
        again = pronoun(speaker, whom.pronoun, whom.noun)
        return replace(again, adjective=whom.adjective)
    gender = "p" if whom.plural or whom.noun is None else whom.noun.gender
    endings = speaker.lexicon.endings["relative"][gender]
    cases = {c: f"d{ending}" for c, ending in zip(german.CASES, endings, strict=True)}
    who, as_object = ("who", "whom") if whom.kind == "person" else ("that", "that")
    return replace(whom, en=who, en_object=as_object, cases=cases)


def _tenses(speaker: Speaker, plan: Plan, said: Said) -> dict[str, int]:
    """Return the tenses that a plan allows, and how likely each is."""
    names = plan.tense.split() or list(speaker.lexicon.tenses)
    if names[0] == "like":
        other = said[names[1]]
        names = [
            "past" if isinstance(other, Clause) and other.tense.past else "present"
        ]
    return {name: speaker.lexicon.tenses[name].weight for name in names}


def _suits(verb: Verb, subject: Phrase, tense: str, passive: bool = False) -> bool:
    """Whether a tense is natural, and can be read off the English form.

    "They put it" may be present or past; the past of "du" is hardly ever used.
    """
    if tense == "past" and subject.person == 2:
        return False
    third = subject.person == 3 and not subject.plural
    if (
        verb.en_past == verb.en
        and not (third or passive)
        and tense in ("present", "past")
    ):
        return False
    active = subject.kind in ("person", "animal") and "state" not in verb.marks
    return active or passive or tense in ("present", "past", "future")


def _verb(
    speaker: Speaker,
    plan: Plan,
    subject: Phrase | None,
    given: Phrase | None,
    tenses: Mapping[str, int],
) -> Verb:
    """Choose a verb that goes with a subject and an object, where these are given."""

    def fits(verb: Verb) -> bool:
        if subject and subject.kind not in verb.subjects:
            return False
        if subject and not any(_suits(verb, subject, tense) for tense in tenses):
            return False
        if plan.passive and ("state" in verb.marks or verb.particle in _PREPOSITIONS):
            return False
        on_purpose = not plan.active or verb.marks in ("", "sein")
        return on_purpose and (given is None or verb.takes(given.noun))

    groups = speaker.lexicon.weights.get(plan.verbs)
    weights = groups or dict.fromkeys(plan.verbs.split(), 1)
    for _ in range(_PATIENCE):
        verb = speaker.pick(speaker.lexicon.verbs[speaker.weighted(weights)])
        if fits(verb):
            return verb
    raise ValueError("no verb fits")


def _subject(speaker: Speaker, verb: Verb, plan: Plan) -> Phrase:
    if plan.passive:
        noun = pick_noun(speaker, verb.complements[0].what)
        speaker.pairings.add(("object", verb.en, noun.head))
        return noun_phrase(speaker, noun, "definite")
    kind = speaker.pick(verb.subjects)
    if kind == "person":
        return someone(speaker, "subjects")
    return noun_phrase(speaker, pick_noun(speaker, (kind,)), "subject")


def _object(
    speaker: Speaker, complement: Complement, verb: Verb, subject: Phrase, plan: Plan
) -> Phrase:
    """Return what fills a complement, noting the pairing of verb and noun."""
    if not complement.case:
        return phrase(speaker, complement.what[0], subject)
    kind = speaker.pick(complement.what)
    if plan.object == "asked":
        return pronoun(speaker, "who" if kind == "person" else "what")
    receiver = complement.case == "dat" and len(verb.complements) > 1
    if kind == "person" and (receiver or not plan.determiner) and speaker.chance(0.4):
        no_pronoun = verb.particle and verb.particle not in _PREPOSITIONS
        return someone(speaker, "named" if no_pronoun else "others", subject.pronoun)
    noun = pick_noun(speaker, (kind,))
    if receiver:
        return noun_phrase(speaker, noun, "receiver", subject)
    speaker.pairings.add(("object", verb.en, noun.head))
    return noun_phrase(speaker, noun, plan.determiner or "any", subject)


def _add_adverbials(speaker: Speaker, clause: Clause, amount: float) -> None:
    """Add adverbials that fit; ``amount`` scales the probability of each."""
    tense, complements = clause.tense, clause.verb.complements

    def add(name: str, source: str, probability: float) -> bool:
        if source and speaker.chance(probability):
            clause.adverbials[name] = phrase(speaker, source)
        return name in clause.adverbials

    if clause.passive and add("agent", "agent", 0.45):
        return
    moved = any(c.preposition or not c.case for c in complements)
    simple = not moved and len(complements) < 2 and "state" not in clause.verb.marks
    if not add("time", tense.time, 0.44 * amount) and not moved:
        add("often", tense.often, 0.25 * amount)
    placed = simple and add("place", "place", 0.28 * amount)
    if simple and not placed and clause.subject.kind == "person":
        add("manner", "" if clause.passive else "manner", 0.12 * amount)
