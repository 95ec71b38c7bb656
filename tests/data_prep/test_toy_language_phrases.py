"""German noun phrases of the toy corpus: declension, owners, contractions."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "data-prep"))

from toy_language import german
from toy_language.chooser import Chooser
from toy_language.noun_phrases import noun_phrase, owned
from toy_language.nouns import NOUN_BY_ENGLISH
from toy_language.pronouns import NounPhrase, referring_to


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


# Nominative, accusative, dative, genitive.
DECLINED = """
the | old | dog | singular
    der alte Hund
    den alten Hund
    dem alten Hund
    des alten Hundes
a | old | dog | singular
    ein alter Hund
    einen alten Hund
    einem alten Hund
    eines alten Hundes
the | old | cat | singular
    die alte Katze
    die alte Katze
    der alten Katze
    der alten Katze
a | old | cat | singular
    eine alte Katze
    eine alte Katze
    einer alten Katze
    einer alten Katze
the | red | dress | singular
    das rote Kleid
    das rote Kleid
    dem roten Kleid
    des roten Kleides
a | red | dress | singular
    ein rotes Kleid
    ein rotes Kleid
    einem roten Kleid
    eines roten Kleides
many | old | tree | plural
    viele alte Bäume
    viele alte Bäume
    vielen alten Bäumen
    vieler alter Bäume
all | old | tree | plural
    alle alten Bäume
    alle alten Bäume
    allen alten Bäumen
    aller alten Bäume
bare | cold | milk | singular
    kalte Milch
    kalte Milch
    kalter Milch
    kalter Milch
a | dark | forest | singular
    ein dunkler Wald
    einen dunklen Wald
    einem dunklen Wald
    eines dunklen Waldes
this | expensive | ring | singular
    dieser teure Ring
    diesen teuren Ring
    diesem teuren Ring
    dieses teuren Ringes
the | high | mountain | plural
    die hohen Berge
    die hohen Berge
    den hohen Bergen
    der hohen Berge
every | young | student | singular
    jeder junge Student
    jeden jungen Studenten
    jedem jungen Studenten
    jedes jungen Studenten
no | ripe | plum | plural
    keine reifen Pflaumen
    keine reifen Pflaumen
    keinen reifen Pflaumen
    keiner reifen Pflaumen"""


def _cases() -> list[tuple[list[str], list[str]]]:
    lines = DECLINED.strip().split("\n")
    return [
        (lines[i].split(" | "), [line.strip() for line in lines[i + 1 : i + 5]])
        for i in range(0, len(lines), 5)
    ]


@pytest.mark.parametrize(("given", "forms"), _cases())
def test_declension(given: list[str], forms: list[str]) -> None:
    determiner, adjective, noun, number = given
    found = with_adjective(determiner, adjective, noun, plural=number == "plural")
    assert [found.german[case] for case in german.CASES] == forms


@pytest.mark.parametrize(
    ("owner", "english", "german_text"),
    [
        (the("teacher"), "the teacher's dog", "den Hund des Lehrers"),
        (the("woman", plural=True), "the women's dog", "den Hund der Frauen"),
        (the("sister", plural=True), "the sisters' dog", "den Hund der Schwestern"),
    ],
)
def test_owners(owner: NounPhrase, english: str, german_text: str) -> None:
    seeds = (owned(Chooser(s), NOUN_BY_ENGLISH["dog"], owner) for s in range(20))
    plain = next(p for p in seeds if p.english == english)
    assert plain.german["acc"] == german_text


def test_contractions() -> None:
    assert the("kitchen").after("zu", "dat") == "zur Küche"
    assert the("lake").after("an", "dat") == "am See"
    assert a("lake").after("an", "dat") == "an einem See"
    assert the("doctor").after("von", "dat") == "vom Arzt"


def test_relative_clause_keeps_the_preposition_apart_from_the_article() -> None:
    house = the("house").with_relative_clause("that is old", "das alt ist")
    assert the("house").after("in", "dat") == "im Haus"
    assert house.after("in", "dat") == "in dem Haus, das alt ist,"


def test_pronoun_has_the_gender_of_what_it_names() -> None:
    forms = {n: referring_to(the(n)).german["acc"] for n in ("table", "lamp", "book")}
    assert forms == {"table": "ihn", "lamp": "sie", "book": "es"}
    assert referring_to(the("girl")).english == "she"
