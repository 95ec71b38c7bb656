"""The grammar of the toy corpus against sentences written by hand."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "data-prep"))

from toy_language import clauses
from toy_language.adverbials import Phrase
from toy_language.chooser import Chooser
from toy_language.clauses import Clause
from toy_language.noun_phrases import noun_phrase
from toy_language.nouns import NOUN_BY_ENGLISH
from toy_language.pronouns import NounPhrase, pronoun
from toy_language.sentences import write_out
from toy_language.verbs import BE, VERBS, Verb


def verb(name: str, frame: str | None = None) -> Verb:
    found = [v for v in VERBS if v.name == name and frame in (None, v.frame)]
    assert len(found) == 1, name
    return found[0]


def phrase(determiner: str, noun: str, *, plural: bool = False) -> NounPhrase:
    """A noun phrase without an adjective; the stream of choices is not used."""
    return noun_phrase(
        Chooser(0), NOUN_BY_ENGLISH[noun], determiner, plural=plural, adjective=0.0
    )


def the(noun: str, *, plural: bool = False) -> NounPhrase:
    return phrase("the", noun, plural=plural)


def a(noun: str) -> NounPhrase:
    return phrase("a", noun)


def with_adjective(
    determiner: str, adjective: str, noun: str, *, plural: bool = False
) -> NounPhrase:
    """Draw until the wished adjective comes up in its plain form."""
    chooser = Chooser(3)
    while True:
        found = noun_phrase(
            chooser, NOUN_BY_ENGLISH[noun], determiner, plural=plural, adjective=1.0
        )
        if f" {adjective} " in f" {found.english}" and "most" not in found.english:
            return found


def place_of(noun: str, case: str) -> Phrase:
    return Phrase(f"on the {noun}", the(noun).after("auf", case))


MAN, WOMAN, CHILD = the("man"), the("woman"), the("child")
YOU, THEY = pronoun("you"), pronoun("they")
ANY_APPLES = phrase("no", "apple", plural=True)
RARE_STAMPS = with_adjective("bare", "rare", "stamp", plural=True)
YOUNG_UNCLE = with_adjective("the", "young", "uncle")
EXPENSIVE_SUIT = with_adjective("a", "expensive", "suit")
READS_POEM = Clause(CHILD, verb("read"), accusative=a("poem"))
OFTEN, CAREFULLY = Phrase("often", "oft"), Phrase("carefully", "vorsichtig")
IN_THE_KITCHEN = Phrase("in the kitchen", the("kitchen").after("in", "dat"))
TO_SCHOOL = Phrase("to the school", the("school").after("zu", "dat"))
INTO_THE_HOUSE = Phrase("into the house", the("house").after("in", "acc"))
BY_HIM = Phrase("by him", pronoun("he").after("von", "dat"))

PLAIN = [
    (
        Clause(MAN, verb("read"), accusative=the("book")),
        "The man reads the book. | Der Mann liest das Buch.",
    ),
    (
        Clause(WOMAN, verb("turn on"), accusative=the("lamp")),
        "The woman turns on the lamp. | Die Frau macht die Lampe an.",
    ),
    (
        Clause(WOMAN, verb("invite"), "perfect", accusative=the("neighbour")),
        "The woman has invited the neighbour. | Die Frau hat den Nachbarn eingeladen.",
    ),
    (
        Clause(CHILD, verb("get up"), "perfect"),
        "The child has got up. | Das Kind ist aufgestanden.",
    ),
    (
        Clause(MAN, verb("call"), "must", accusative=pronoun("she")),
        "The man must call her. | Der Mann muss sie anrufen.",
    ),
    (
        Clause(WOMAN, verb("sing"), "future", time=Phrase("tomorrow", "morgen")),
        "The woman will sing tomorrow. | Die Frau wird morgen singen.",
    ),
    (
        Clause(CHILD, verb("eat"), "progressive", accusative=a("apple")),
        "The child is eating an apple. | Das Kind isst gerade einen Apfel.",
    ),
    (
        Clause(MAN, verb("help"), dative=CHILD, negated=True),
        "The man does not help the child. | Der Mann hilft dem Kind nicht.",
    ),
    (
        Clause(MAN, verb("buy"), accusative=phrase("no", "car"), no_object=True),
        "The man does not buy a car. | Der Mann kauft kein Auto.",
    ),
    (
        Clause(THEY, verb("buy"), "past", accusative=ANY_APPLES, no_object=True),
        "They did not buy any apples. | Sie kauften keine Äpfel.",
    ),
    (
        Clause(WOMAN, verb("give"), dative=CHILD, accusative=a("coin")),
        "The woman gives the child a coin. | Die Frau gibt dem Kind eine Münze.",
    ),
    (
        replace(Clause(MAN, verb("lend"), "can", THEY, the("ladder")), negated=True),
        "The man cannot lend them the ladder."
        " | Der Mann kann ihnen die Leiter nicht leihen.",
    ),
    (
        Clause(MAN, verb("wait for"), oblique=Phrase("the bus", "auf den Bus")),
        "The man waits for the bus. | Der Mann wartet auf den Bus.",
    ),
    (
        replace(READS_POEM, manner=CAREFULLY, place=IN_THE_KITCHEN),
        "The child reads a poem carefully in the kitchen."
        " | Das Kind liest vorsichtig in der Küche ein Gedicht.",
    ),
    (
        Clause(the("car"), verb("repair"), oblique=BY_HIM, passive=True),
        "The car is repaired by him. | Das Auto wird von ihm repariert.",
    ),
    (
        Clause(the("door", plural=True), verb("lock"), "perfect", passive=True),
        "The doors have been locked. | Die Türen sind abgeschlossen worden.",
    ),
    (
        Clause(the("wedding"), verb("cancel"), "must", passive=True),
        "The wedding must be cancelled. | Die Hochzeit muss abgesagt werden.",
    ),
    (
        Clause(the("cake"), verb("cut"), "progressive", passive=True),
        "The cake is being cut. | Der Kuchen wird gerade geschnitten.",
    ),
    (
        Clause(WOMAN, verb("put"), "past", None, the("book"), place_of("table", "acc")),
        "The woman put the book on the table. | Die Frau legte das Buch auf den Tisch.",
    ),
    (
        Clause(the("cup"), verb("stand"), oblique=place_of("table", "dat")),
        "The cup stands on the table. | Die Tasse steht auf dem Tisch.",
    ),
    (
        Clause(MAN, verb("go"), oblique=TO_SCHOOL),
        "The man goes to the school. | Der Mann geht zur Schule.",
    ),
    (
        Clause(MAN, verb("run"), "had to", oblique=INTO_THE_HOUSE),
        "The man had to run into the house. | Der Mann musste ins Haus rennen.",
    ),
    (
        Clause(pronoun("I"), verb("listen to"), dative=phrase("this", "musician")),
        "I listen to this musician. | Ich höre diesem Musiker zu.",
    ),
    (
        Clause(the("coat"), verb("belong to"), dative=a("student")),
        "The coat belongs to a student. | Der Mantel gehört einem Studenten.",
    ),
    (
        Clause(YOU, BE, oblique=Phrase("very tired", "sehr müde"), negated=True),
        "You are not very tired. | Du bist nicht sehr müde.",
    ),
    (
        Clause(pronoun("we"), verb("collect"), "would like to", None, RARE_STAMPS),
        "We would like to collect rare stamps."
        " | Wir möchten seltene Briefmarken sammeln.",
    ),
    (
        Clause(YOUNG_UNCLE, verb("wear"), "past", accusative=EXPENSIVE_SUIT),
        "The young uncle wore an expensive suit."
        " | Der junge Onkel trug einen teuren Anzug.",
    ),
]


@pytest.mark.parametrize(("clause", "pair"), PLAIN)
def test_main_clauses(clause: Clause, pair: str) -> None:
    english = write_out(f"{clauses.english_statement(clause)}.")
    assert f"{english} | {write_out(f'{clauses.german_main(clause)}.')}" == pair


FRONTED = [
    (Clause(MAN, verb("read"), "past", None, the("letter")), "las der Mann den Brief"),
    (Clause(WOMAN, verb("wake up"), "past"), "wachte die Frau auf"),
    (
        Clause(THEY, verb("cook"), "could", None, a("soup")),
        "konnten sie eine Suppe kochen",
    ),
    (replace(READS_POEM, frequency=OFTEN), "liest das Kind oft ein Gedicht"),
]


@pytest.mark.parametrize(("clause", "rest"), FRONTED)
def test_the_verb_stays_second_after_an_adverbial(clause: Clause, rest: str) -> None:
    assert clauses.german_main(clause, "gestern") == f"gestern {rest}"


SUBORDINATE = [
    (Clause(MAN, verb("read"), accusative=the("book")), "der Mann das Buch liest"),
    (
        Clause(WOMAN, verb("turn off"), accusative=the("oven")),
        "die Frau den Ofen ausschaltet",
    ),
    (Clause(CHILD, verb("wake up"), "perfect"), "das Kind aufgewacht ist"),
    (
        Clause(pronoun("I"), verb("pick up"), "want to", accusative=pronoun("he")),
        "ich ihn abholen will",
    ),
    (
        Clause(the("house"), verb("build"), "future", passive=True),
        "das Haus gebaut werden wird",
    ),
    (
        Clause(the("house"), verb("draw"), "past", passive=True, negated=True),
        "das Haus nicht gezeichnet wurde",
    ),
]


@pytest.mark.parametrize(("clause", "german_text"), SUBORDINATE)
def test_subordinate_clauses_end_in_the_verb(clause: Clause, german_text: str) -> None:
    assert clauses.german_subordinate(clause) == german_text


QUESTIONS = [
    (
        Clause(CHILD, verb("eat"), accusative=the("pear")),
        "Does the child eat the pear? | Isst das Kind die Birne?",
    ),
    (
        Clause(YOU, verb("close"), "perfect", accusative=the("window")),
        "Have you closed the window? | Hast du das Fenster zugemacht?",
    ),
    (Clause(THEY, verb("depart"), "past"), "Did they depart? | Fuhren sie ab?"),
    (
        Clause(WOMAN, verb("dance"), "wanted to"),
        "Did the woman want to dance? | Wollte die Frau tanzen?",
    ),
    (
        Clause(the("friend", plural=True), verb("play"), "is allowed to"),
        "Are the friends allowed to play? | Dürfen die Freunde spielen?",
    ),
]


@pytest.mark.parametrize(("clause", "pair"), QUESTIONS)
def test_questions(clause: Clause, pair: str) -> None:
    english = write_out(f"{clauses.english_question(clause)}?")
    assert f"{english} | {write_out(f'{clauses.german_question(clause)}?')}" == pair


def order(name: str, noun: str, *, negated: bool = False) -> Clause:
    return Clause(YOU, verb(name), accusative=the(noun), negated=negated)


COMMANDS = [
    (order("read", "letter"), "lies den Brief"),
    (order("close", "door"), "mach die Tür zu"),
    (order("open", "window", negated=True), "öffne das Fenster nicht"),
    (order("invite", "guest"), "lade den Gast ein"),
    (order("feed", "lion"), "füttere den Löwen"),
    (order("forget", "key"), "vergiss den Schlüssel"),
    (order("hang up", "hat"), "häng den Hut auf"),
    (Clause(YOU, verb("help"), dative=pronoun("she")), "hilf ihr"),
]


@pytest.mark.parametrize(("clause", "german_text"), COMMANDS)
def test_commands(clause: Clause, german_text: str) -> None:
    assert clauses.german_command(clause) == german_text


def test_please_follows_pronouns() -> None:
    clause = Clause(YOU, verb("help"), dative=pronoun("they"))
    assert clauses.german_command(clause, please=True) == "hilf ihnen bitte"


def test_infinitives_with_zu() -> None:
    separable = Clause(MAN, verb("take along"), accusative=the("dog"))
    plain = Clause(MAN, verb("visit"), accusative=the("aunt"))
    assert clauses.german_infinitive(separable) == "den Hund mitzunehmen"
    assert clauses.german_infinitive(plain) == "die Tante zu besuchen"
    assert clauses.english_gerund(separable) == "taking along the dog"
