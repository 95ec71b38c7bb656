"""Compounds: two English words, one German word with its linking element.

The first part decides the linking element (Küche-n-tisch, Geschicht-s-buch), the last
part everything else: gender, declension and meaning.
"""

from __future__ import annotations

from dataclasses import replace

from toy_language import german
from toy_language.nouns import NOUN_BY_ENGLISH, Noun

_FIRST_PARTS = """
apple=Apfel cherry=Kirsch plum=Pflaumen lemon=Zitronen nut=Nuss strawberry=Erdbeer
orange=Orangen potato=Kartoffel carrot=Karotten tomato=Tomaten
onion=Zwiebel cucumber=Gurken mushroom=Pilz bean=Bohnen vegetable=Gemüse
kitchen=Küchen garden=Garten office=Büro school=Schul hotel=Hotel glass=Glas
house=Haus cellar=Keller church=Kirchen castle=Schloss
winter=Winter summer=Sommer leather=Leder work=Arbeits sports=Sport
wool=Woll silk=Seiden cotton=Baumwoll travel=Reise adventure=Abenteuer love=Liebes
crime=Kriminal nature=Natur history=Geschichts music=Musik art=Kunst
biology=Biologie mathematics=Mathematik English=Englisch police=Polizei
toy=Spielzeug racing=Renn taxi=Taxi bus=Bus lorry=Lastwagen tram=Straßenbahn
tea=Tee coffee=Kaffee wine=Wein beer=Bier milk=Milch water=Wasser"""
_LINKED = dict(pair.split("=") for pair in _FIRST_PARTS.split())

# Any first part of a line goes with any last part of it.
_COMBINATIONS = """
apple cherry plum lemon nut : cake tart
apple cherry orange tomato carrot : juice
potato tomato onion mushroom vegetable : soup
potato tomato cucumber bean : salad
tomato mushroom vegetable : pizza
kitchen garden office glass : table
kitchen garden office : chair lamp
kitchen garden school : bench
kitchen office : cupboard shelf
house cellar kitchen garden church : door
kitchen hotel school : window
house cellar hotel : key
garden castle church : gate
winter summer leather work : coat jacket shoe
winter leather work : glove boot
wool silk cotton : scarf dress shirt pullover
adventure love crime : novel story film
travel history nature music art : book magazine
music history sports mathematics art biology English : teacher
music history biology art : student professor
police toy racing : car boat
toy : ship train plane
taxi bus lorry tram : driver
tea coffee : cup
wine beer water milk : glass bottle
apple cherry plum lemon nut orange : tree"""


def compound(first: str, last: str) -> Noun:
    """Return e.g. "kitchen table", Küchentisch, for two known English words.

    Raises:
        KeyError: a word is not in the table of first parts or of nouns.
    """
    head, link = NOUN_BY_ENGLISH[last], _LINKED[first]
    plural = head.german_plural.lower()
    return replace(
        head,
        english=f"{first} {head.english}",
        english_plural=f"{first} {head.english_plural}" if plural else "",
        german=link + head.german.lower(),
        german_plural=link + plural if plural else "",
        genitive=link + german.genitive(head).lower(),
        parts=(first, last),
    )


def _all_compounds() -> dict[str, list[Noun]]:
    found: dict[str, list[Noun]] = {}
    for line in _COMBINATIONS.strip().split("\n"):
        firsts, lasts = (side.split() for side in line.split(" : "))
        for last in lasts:
            words = found.setdefault(last, [])
            words.extend(compound(first, last) for first in firsts)
    return found


COMPOUNDS_BY_LAST_PART = _all_compounds()
COMPOUNDS = [noun for nouns in COMPOUNDS_BY_LAST_PART.values() for noun in nouns]
