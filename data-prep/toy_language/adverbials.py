"""Adverbials of time, frequency, manner and place, and places to go to."""

from __future__ import annotations

from typing import NamedTuple

from toy_language.chooser import Chooser
from toy_language.noun_phrases import noun_phrase, pick_noun
from toy_language.nouns import NOUNS_BY_KIND, Noun
from toy_language.numerals import MONTHS, clock_time, english_number, german_number
from toy_language.pronouns import NounPhrase


class Phrase(NamedTuple):
    """The same phrase in English and German."""

    english: str
    german: str


def _phrases(block: str) -> list[Phrase]:
    lines = block.strip().split("\n")
    return [Phrase(*part.split(" = ")) for line in lines for part in line.split("; ")]


_DAYS = _phrases("""
Monday = Montag; Tuesday = Dienstag; Wednesday = Mittwoch; Thursday = Donnerstag
Friday = Freitag; Saturday = Samstag; Sunday = Sonntag""")
_DAY_PARTS = _phrases("morning = morgen; afternoon = nachmittag; evening = abend")
_PAST = _phrases("""
yesterday = gestern; the day before yesterday = vorgestern; last week = letzte Woche
last year = letztes Jahr; last month = letzten Monat; back then = damals
yesterday evening = gestern Abend; last summer = letzten Sommer
last winter = letzten Winter""")
_FUTURE = _phrases("""
tomorrow = morgen; the day after tomorrow = übermorgen; next week = nächste Woche
next year = nächstes Jahr; next month = nächsten Monat; soon = bald
tomorrow evening = morgen Abend; next summer = nächsten Sommer; later = später""")
_HABIT = _phrases("""
every day = jeden Tag; every morning = jeden Morgen; every evening = jeden Abend
every week = jede Woche; every year = jedes Jahr; today = heute
in summer = im Sommer; in winter = im Winter; in spring = im Frühling
in autumn = im Herbst; at night = nachts; at the weekend = am Wochenende""")
_ANY_TIME = _phrases("""
today = heute; in the morning = am Morgen; in the evening = am Abend
in the afternoon = am Nachmittag; at noon = am Mittag; at the weekend = am Wochenende
this morning = heute Morgen; this evening = heute Abend""")
_FREQUENCY = _phrases("""
always = immer; often = oft; sometimes = manchmal; seldom = selten; never = nie
usually = meistens""")
_PERFECT = _phrases("already = schon; just = gerade; never = nie; often = oft")
_MANNER = _phrases("""
quickly = schnell; slowly = langsam; loudly = laut; quietly = leise
carefully = vorsichtig; secretly = heimlich; patiently = geduldig; proudly = stolz
alone = allein; again = wieder; immediately = sofort; happily = fröhlich""")
_SPOTS = _phrases("""
here = hier; there = dort; at home = zu Hause; outside = draußen
everywhere = überall; upstairs = oben""")
_CITIES = _phrases("""
Berlin = Berlin; Hamburg = Hamburg; Munich = München; Cologne = Köln; Vienna = Wien
Zurich = Zürich; London = London; Paris = Paris; Rome = Rom; Italy = Italien
Spain = Spanien; France = Frankreich; Germany = Deutschland; Austria = Österreich
England = England; Poland = Polen; Greece = Griechenland; Prague = Prag""")
_UNITS = [
    ("days", "Tagen"),
    ("weeks", "Wochen"),
    ("months", "Monaten"),
    ("years", "Jahren"),
]
_IN = ("building", "room", "area")
_PLACES = (*_IN, "surface", "edge")
# English says these otherwise than their class would have it.
_ENGLISH_PREPOSITION = {"market": "at", "square": "in", "street": "in"}


def weekday(chooser: Chooser) -> Phrase:
    """Return "on Monday" or "on Monday morning"."""
    day = chooser.pick(_DAYS)
    if chooser.chance(0.6):
        return Phrase(f"on {day.english}", f"am {day.german}")
    part = chooser.pick(_DAY_PARTS)
    return Phrase(f"on {day.english} {part.english}", f"am {day.german}{part.german}")


def clock(chooser: Chooser) -> Phrase:
    """Return a time of day in words or digits."""
    if chooser.chance(0.3):
        hour, minute = 8 + chooser.below(10), (1 + chooser.below(3)) * 15
        return Phrase(f"at {hour}:{minute}", f"um {hour}:{minute} Uhr")
    parts = ["full", "half", "quarter past", "quarter to", "ten past", "five to"]
    english, german = clock_time(1 + chooser.below(12), chooser.pick(parts))
    return Phrase(f"at {english}", f"um {german}")


def date(chooser: Chooser) -> Phrase:
    """Return e.g. "on 3 May"."""
    month, day = chooser.pick(MONTHS), 1 + chooser.below(28)
    return Phrase(f"on {day} {month[0]}", f"am {day}. {month[1]}")


def _month(chooser: Chooser) -> Phrase:
    month = chooser.pick(MONTHS)
    return Phrase(f"in {month[0]}", f"im {month[1]}")


def _distance(chooser: Chooser, ahead: bool) -> Phrase:
    number, (english, german) = 2 + chooser.below(11), chooser.pick(_UNITS)
    words = english_number(number), german_number(number)
    if ahead:
        return Phrase(f"in {words[0]} {english}", f"in {words[1]} {german}")
    return Phrase(f"{words[0]} {english} ago", f"vor {words[1]} {german}")


def _year(chooser: Chooser) -> Phrase:
    year = 1990 + chooser.below(20)
    return Phrase(f"in {year}", f"im Jahr {year}")


def time(chooser: Chooser, period: str) -> Phrase:
    """Return an adverbial of time for "past", "present" or "future"."""
    if chooser.chance(0.45):
        kind = chooser.weighted(
            {"weekday": 4, "clock": 4, "date": 2, "month": 2, "": 4}
        )
        makers = {"weekday": weekday, "clock": clock, "date": date, "month": _month}
        return makers[kind](chooser) if kind else chooser.pick(_ANY_TIME)
    if period == "past":
        if chooser.chance(0.25):
            return _distance(chooser, ahead=False)
        return _year(chooser) if chooser.chance(0.12) else chooser.pick(_PAST)
    if period == "future":
        if chooser.chance(0.25):
            return _distance(chooser, ahead=True)
        return chooser.pick(_FUTURE)
    return chooser.pick(_HABIT)


def frequency(chooser: Chooser, perfect: bool) -> Phrase:
    """Return an adverb such as "often"; after "has", one such as "already"."""
    return chooser.pick(_PERFECT if perfect else _FREQUENCY)


def manner(chooser: Chooser) -> Phrase:
    """Return an adverb of manner."""
    return chooser.pick(_MANNER)


def _preposition(noun: Noun) -> tuple[str, str]:
    if noun.kind in _IN:
        pair = ("in", "in")
    else:
        pair = ("on", "auf") if noun.kind == "surface" else ("at", "an")
    return _ENGLISH_PREPOSITION.get(noun.english, pair[0]), pair[1]


def _definite(chooser: Chooser, noun: Noun) -> NounPhrase:
    own = 0 if noun.kind in ("area", "surface", "edge", "plant") else 1
    word = chooser.weighted({"the": 9, "possessive": own, "a": 2, "this": 1})
    return noun_phrase(chooser, noun, word, plural=False, adjective=0.25)


def place(chooser: Chooser) -> Phrase:
    """Return where something happens."""
    kind = chooser.weighted({"spot": 2, "city": 2, "at": 8, "beside": 3})
    if kind == "spot":
        return chooser.pick(_SPOTS)
    if kind == "city":
        city = chooser.pick(_CITIES)
        return Phrase(f"in {city.english}", f"in {city.german}")
    if kind == "beside":
        return beside(chooser)
    return inside(chooser, _PLACES)


def inside(chooser: Chooser, kinds: tuple[str, ...]) -> Phrase:
    """Return "in the kitchen", "on the roof", "at the lake", as the place demands."""
    where = _definite(chooser, pick_noun(chooser, kinds))
    assert where.noun is not None
    english, german = _preposition(where.noun)
    return Phrase(f"{english} {where.english}", where.after(german, "dat"))


def beside(chooser: Chooser) -> Phrase:
    """Return a place described by what stands near it."""
    where = _definite(chooser, pick_noun(chooser, ("building", "vehicle", "plant")))
    if chooser.chance(0.2):
        return Phrase(f"near {where.english}", f"in der Nähe {where.german['gen']}")
    options = _phrases("in front of = vor; behind = hinter; next to = neben")
    english, german = chooser.pick(options)
    return Phrase(f"{english} {where.english}", where.after(german, "dat"))


def direction(chooser: Chooser, on_foot: bool) -> Phrase:
    """Return where somebody goes: "to the station", "to Rome", on foot "into ..."."""
    kind = chooser.weighted(
        {"city": 2, "to": 4, "home": 1, "into": 3 if on_foot else 0}
    )
    if kind == "home":
        return Phrase("home", "nach Hause")
    if kind == "city":
        city = chooser.pick(_CITIES)
        return Phrase(f"to {city.english}", f"nach {city.german}")
    kinds = ("building", "edge", "market", "bridge") if kind == "to" else _IN
    where = _definite(chooser, pick_noun(chooser, kinds))
    german = where.after("zu", "dat") if kind == "to" else where.after("in", "acc")
    return Phrase(f"{kind} {where.english}", german)


_TOPS = [n for n in NOUNS_BY_KIND["furniture"] if n.english not in ("shelf", "mirror")]
_CONTAINERS = NOUNS_BY_KIND["container"]


def on_furniture(chooser: Chooser, case: str) -> Phrase:
    """Return "on the table": dative for where, accusative for where to."""
    under = chooser.chance(0.3)
    noun = chooser.pick(_TOPS)
    where = _definite(chooser, noun)
    english, german = ("under", "unter") if under else ("on", "auf")
    return Phrase(f"{english} {where.english}", where.after(german, case))


def into_container(chooser: Chooser) -> Phrase:
    """Return "into the box"."""
    where = _definite(chooser, chooser.pick(_CONTAINERS))
    return Phrase(f"into {where.english}", where.after("in", "acc"))


def circumstance(chooser: Chooser) -> Phrase:
    """Return "because of the rain", "despite ..." or "during the concert"."""
    if chooser.chance(0.4):
        noun = pick_noun(chooser, ("event",), 0)
        what = noun_phrase(chooser, noun, "the", plural=False, adjective=0.3)
        return Phrase(f"during {what.english}", f"während {what.german['gen']}")
    noun = pick_noun(chooser, ("weather",))
    what = noun_phrase(chooser, noun, "the", plural=False, adjective=0.0)
    options = _phrases("because of = wegen; despite = trotz")
    english, german = chooser.pick(options)
    return Phrase(f"{english} {what.english}", f"{german} {what.german['gen']}")
