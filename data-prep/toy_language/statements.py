"""Plain statements: main clauses, predicates, passives, numbers."""

from __future__ import annotations

from dataclasses import replace

from toy_language import adverbials, content
from toy_language.adjectives import ADJECTIVES_BY_KIND, Adjective
from toy_language.adverbials import Phrase
from toy_language.chooser import Chooser
from toy_language.clauses import Clause, english_statement, german_main
from toy_language.noun_phrases import noun_phrase, number_word, pick_noun
from toy_language.nouns import NOUNS_BY_KIND
from toy_language.numerals import english_number, german_number
from toy_language.pronouns import NounPhrase, name, pronoun
from toy_language.verbs import BE, VERBS, parse_verb

Pair = tuple[str, str]

_COST = parse_verb("cost/cost/cost = kosten :", "none")
_DESCRIBED = tuple(ADJECTIVES_BY_KIND)
_NO_PROFESSION = """
man father brother son uncle grandfather prince king boy woman mother sister daughter
aunt niece grandmother child girl baby girlfriend friend neighbour boss guest lady
princess queen witch thief customer"""
_PROFESSIONS = [
    n for n in NOUNS_BY_KIND["person"] if n.english not in _NO_PROFESSION.split()
]
_PASSIVE_TENSES = {
    "present": 4,
    "past": 5,
    "perfect": 3,
    "future": 2,
    "progressive": 1,
    "must": 2,
    "can": 1,
    "should": 1,
}
# Without "break": "is broken" says what something is like (ist kaputt).
_PASSIVE_VERBS = [
    verb
    for verb in VERBS
    if verb.frame == "acc"
    and not verb.stative
    and verb.particle not in ("for", "at")
    and verb.english != "break"
]


def plain(chooser: Chooser) -> Pair:
    """Return a main clause; an adverbial may come first, then German inverts."""
    return fronted(chooser, content.random_clause(chooser))


def fronted(chooser: Chooser, clause: Clause) -> Pair:
    """Return a clause as a statement, perhaps with an adverbial in front."""
    first = None
    if clause.time and chooser.chance(0.5):
        first, clause = clause.time, replace(clause, time=None)
    elif clause.place and chooser.chance(0.3):
        first, clause = clause.place, replace(clause, place=None)
    elif not clause.time and clause.tense != "perfect" and chooser.chance(0.09):
        first = adverbials.circumstance(chooser)
    if first is None:
        return f"{english_statement(clause)}.", f"{german_main(clause)}."
    english = f"{first.english}, {english_statement(clause)}."
    return english, f"{german_main(clause, first.german)}."


def _described_subject(chooser: Chooser) -> tuple[NounPhrase, Adjective]:
    if chooser.chance(0.25):
        adjective = chooser.pick(ADJECTIVES_BY_KIND["person"])
        if chooser.chance(0.6):
            return name(chooser), adjective
        return pronoun(chooser.pick(["I", "you", "he", "she", "we", "they"])), adjective
    noun = pick_noun(chooser, (chooser.pick(_DESCRIBED),))
    word = chooser.weighted({"the": 6, "possessive": 3, "this": 2})
    subject = noun_phrase(chooser, noun, word, adjective=0.12)
    adjective = _another_adjective(chooser, subject, noun.kind)
    chooser.note_pairing("adjective", adjective.english, noun.head)
    return subject, adjective


def _another_adjective(chooser: Chooser, who: NounPhrase, kind: str) -> Adjective:
    """Return an adjective that who does not carry already: no "old car is old"."""
    adjective = chooser.pick(ADJECTIVES_BY_KIND[kind])
    while adjective.english in who.english.split():
        adjective = chooser.pick(ADJECTIVES_BY_KIND[kind])
    return adjective


def be(subject: NounPhrase, what: Phrase, tense: str, negated: bool = False) -> Clause:
    """Return the clause "subject is what"."""
    return Clause(subject, BE, tense, oblique=what, negated=negated)


def predicate(chooser: Chooser, adjective: Adjective) -> Phrase:
    """Return an adjective as predicate, perhaps with "very" or "too"."""
    english, german = chooser.weighted(
        {("", ""): 5, ("very ", "sehr "): 2, ("too ", "zu "): 1}
    )
    return Phrase(english + adjective.english, german + adjective.german)


def event_or_state(
    chooser: Chooser, tense: str, subject: NounPhrase | None = None
) -> Clause:
    """Return a clause in a tense, about somebody other than "you" in the past."""
    who = subject if subject else content.somebody(chooser)
    if who.noun and who.noun.kind != "person":
        return state(chooser, who, tense)
    if chooser.chance(0.25):
        return state(chooser, who, tense)
    return content.random_clause(
        chooser, subject=who, tense=tense, adverbs=0.35, negation=0.1
    )


def state(chooser: Chooser, who: NounPhrase, tense: str) -> Clause:
    """Return "who is (very, too) ..." with an adjective that suits who."""
    kind = who.noun.kind if who.noun else "person"
    adjective = _another_adjective(chooser, who, kind)
    if who.noun:
        chooser.note_pairing("adjective", adjective.english, who.noun.head)
    return be(who, predicate(chooser, adjective), tense, chooser.chance(0.1))


def description(chooser: Chooser) -> Pair:
    """Return "The car is (not, very, too) old.", perhaps with "often" or the like."""
    subject, adjective = _described_subject(chooser)
    tense = chooser.weighted({"present": 6, "past": 3})
    clause = be(subject, predicate(chooser, adjective), tense, chooser.chance(0.2))
    if not clause.negated and subject.pronoun != "it" and chooser.chance(0.12):
        clause = replace(clause, frequency=adverbials.frequency(chooser, False))
    return f"{english_statement(clause)}.", f"{german_main(clause)}."


def comparison(chooser: Chooser) -> Pair:
    """Return "The car is bigger than the bus." or "... as big as the bus."."""
    subject, adjective = _described_subject(chooser)
    while not adjective.english_comparative:
        chooser.start_sentence()
        subject, adjective = _described_subject(chooser)
    kind = subject.noun.kind if subject.noun else "person"
    other_noun = pick_noun(chooser, (kind,), compound=0.0)
    while subject.noun and other_noun.english == subject.noun.head:
        other_noun = pick_noun(chooser, (kind,), compound=0.0)
    other = noun_phrase(
        chooser, other_noun, chooser.pick(["the", "possessive"]), adjective=0.15
    )
    if chooser.chance(0.3):
        english = f"as {adjective.english} as {other.english}"
        german = f"so {adjective.german} wie {other.german['nom']}"
    else:
        english = f"{adjective.english_comparative} than {other.english}"
        german = f"{adjective.german_comparative} als {other.german['nom']}"
    tense = "present" if chooser.chance(0.8) else "past"
    clause = be(subject, Phrase(english, german), tense)
    return f"{english_statement(clause)}.", f"{german_main(clause)}."


def profession(chooser: Chooser) -> Pair:
    """Return "Anna is a nurse." (no article in German) or "... a good nurse."."""
    noun = chooser.pick(_PROFESSIONS)
    woman = noun.gender == "f"
    subject = pronoun("she" if woman else "he")
    if chooser.chance(0.7):
        subject = name(chooser)
        while subject.gender != noun.gender:
            subject = name(chooser)
    adjective = 1.0 if chooser.chance(0.75) else 0.0
    what = noun_phrase(chooser, noun, "a", plural=False, adjective=adjective)
    german = what.german["nom"] if adjective else noun.german
    tense = "present" if chooser.chance(0.65) else "past"
    clause = be(subject, Phrase(what.english, german), tense)
    return f"{english_statement(clause)}.", f"{german_main(clause)}."


def existence(chooser: Chooser) -> Pair:
    """Return "There are three cats in the garden.": es gibt with the accusative."""
    kinds = ("animal", "furniture", "vehicle", "plant", "device", "container", "person")
    noun = pick_noun(chooser, (chooser.pick(kinds),))
    plural = chooser.chance(0.65)
    word = chooser.pick(["number", "many", "some"]) if plural else "a"
    what = noun_phrase(chooser, noun, word, plural=plural, adjective=0.55)
    where = adverbials.inside(chooser, ("building", "room", "area", "surface"))
    past = chooser.chance(0.3)
    verb = ("were" if plural else "was") if past else ("are" if plural else "is")
    gab = "gab" if past else "gibt"
    if chooser.chance(0.3):
        english = f"{where.english}, there {verb} {what.english}."
        return english, f"{where.german} {gab} es {what.german['acc']}."
    english = f"there {verb} {what.english} {where.english}."
    return english, f"es {gab} {what.german['acc']} {where.german}."


def passive(chooser: Chooser) -> Pair:
    """Return "The car is repaired by the mechanic.": werden, von with the dative."""
    verb = chooser.pick(_PASSIVE_VERBS)
    noun = pick_noun(chooser, verb.objects)
    chooser.note_pairing("object", verb.name, noun.head)
    word = chooser.weighted({"the": 7, "this": 2, "possessive": 2})
    subject = noun_phrase(chooser, noun, word, adjective=0.3)
    clause = Clause(subject, verb, chooser.weighted(_PASSIVE_TENSES), passive=True)
    if chooser.chance(0.45):
        agent = content.subject_for(chooser, ("person",))
        clause = replace(
            clause, oblique=Phrase(f"by {agent.as_object}", agent.after("von", "dat"))
        )
    elif chooser.chance(0.12) and clause.tense != "must":
        clause = replace(clause, negated=True)
    elif chooser.chance(0.4) and clause.tense in ("past", "future"):
        clause = replace(clause, time=adverbials.time(chooser, clause.tense))
    return fronted(chooser, clause)


def age(chooser: Chooser) -> Pair:
    """Return "Anna is twenty-three years old."."""
    number = number_word(chooser)
    subject = content.subject_for(chooser, ("person",))
    what = Phrase(f"{number[0]} years old", f"{number[1]} Jahre alt")
    clause = be(subject, what, "present", chooser.chance(0.1))
    return f"{english_statement(clause)}.", f"{german_main(clause)}."


def price(chooser: Chooser) -> Pair:
    """Return "The coat costs 45 euros.", in words or digits."""
    kind = chooser.pick(["clothes", "furniture", "instrument", "device", "thing"])
    noun = pick_noun(chooser, (kind,))
    subject = noun_phrase(
        chooser, noun, chooser.pick(["the", "this"]), plural=False, adjective=0.6
    )
    number = number_word(chooser)
    if chooser.chance(0.5):
        digits = str(5 * (1 + chooser.below(20)))
        number = digits, digits
    what = Phrase(f"{number[0]} euros", f"{number[1]} Euro")
    clause = Clause(subject, _COST, "present", oblique=what)
    return f"{english_statement(clause)}.", f"{german_main(clause)}."


def sum_of_numbers(chooser: Chooser) -> Pair:
    """Return "Twenty plus three is twenty-three."."""
    first, second = 1 + chooser.below(60), 1 + chooser.below(39)
    total = first + second
    chooser.note_pairing("sum", str(first), str(second))
    english = [english_number(n) for n in (first, second, total)]
    german = [german_number(n) for n in (first, second, total)]
    return (
        f"{english[0]} plus {english[1]} is {english[2]}.",
        f"{german[0]} plus {german[1]} ist {german[2]}.",
    )
