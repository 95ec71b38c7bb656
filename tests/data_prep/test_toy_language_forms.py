"""The word forms of the toy corpus: paradigms by hand, and properties of all."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "data-prep"))

from toy_language import adverbials, german, numerals
from toy_language import english as english_forms
from toy_language.adjectives import ADJECTIVES
from toy_language.chooser import Chooser
from toy_language.compounds import COMPOUNDS, compound
from toy_language.nouns import NOUN_BY_ENGLISH, NOUNS, NOUNS_BY_KIND
from toy_language.verbs import VERBS, Verb


def verb(name: str) -> Verb:
    (found,) = [v for v in VERBS if v.name == name]
    return found


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        ("read", "lese liest liest lesen las lasen"),
        ("take along", "nehme nimmst nimmt nehmen nahm nahmen"),
        ("invite", "lade lädst lädt laden lud luden"),
        ("draw", "zeichne zeichnest zeichnet zeichnen zeichnete zeichneten"),
        ("open", "öffne öffnest öffnet öffnen öffnete öffneten"),
        ("collect", "sammle sammelst sammelt sammeln sammelte sammelten"),
        ("greet", "grüße grüßt grüßt grüßen grüßte grüßten"),
        ("have", "habe hast hat haben hatte hatten"),
        ("work", "arbeite arbeitest arbeitet arbeiten arbeitete arbeiteten"),
    ],
)
def test_conjugation(name: str, forms: str) -> None:
    known = verb(name)
    present = [german.present(known, person, False) for person in (1, 2, 3)]
    past = [german.preterite(known, 3, plural) for plural in (False, True)]
    assert [*present, german.present(known, 3, True), *past] == forms.split()


@pytest.mark.parametrize(
    ("name", "participle", "infinitive"),
    [
        ("call", "angerufen", "anzurufen"),
        ("translate", "übersetzt", "zu übersetzen"),
        ("try on", "anprobiert", "anzuprobieren"),
        ("prepare", "vorbereitet", "vorzubereiten"),
        ("photograph", "fotografiert", "zu fotografieren"),
        ("visit", "besucht", "zu besuchen"),
        ("tidy up", "aufgeräumt", "aufzuräumen"),
    ],
)
def test_participles_and_zu(name: str, participle: str, infinitive: str) -> None:
    assert verb(name).german_participle == participle
    assert german.zu_infinitive(verb(name)) == infinitive


def test_numbers_in_words() -> None:
    pairs = {
        n: (numerals.english_number(n), numerals.german_number(n)) for n in range(1000)
    }
    assert pairs[1] == ("one", "eins")
    assert pairs[16] == ("sixteen", "sechzehn")
    assert pairs[21] == ("twenty-one", "einundzwanzig")
    assert pairs[77] == ("seventy-seven", "siebenundsiebzig")
    assert pairs[345] == (
        "three hundred and forty-five",
        "dreihundertfünfundvierzig",
    )
    assert len({english for english, _ in pairs.values()}) == 1000
    assert len({german_word for _, german_word in pairs.values()}) == 1000
    with pytest.raises(ValueError, match="1000 lies outside"):
        numerals.english_number(1000)


def test_clock_times() -> None:
    assert numerals.clock_time(3, "half") == ("half past three", "halb vier")
    assert numerals.clock_time(12, "half") == ("half past twelve", "halb eins")
    assert numerals.clock_time(1, "full") == ("one o'clock", "ein Uhr")
    assert numerals.clock_time(9, "quarter to") == (
        "a quarter to nine",
        "Viertel vor neun",
    )


@pytest.mark.parametrize(
    ("first", "last", "english", "german_forms"),
    [
        ("kitchen", "table", "kitchen table", "Küchentisch Küchentischen"),
        ("history", "teacher", "history teacher", "Geschichtslehrer Geschichtslehrern"),
        ("tomato", "soup", "tomato soup", "Tomatensuppe Tomatensuppen"),
        ("music", "student", "music student", "Musikstudent Musikstudenten"),
    ],
)
def test_compounds(first: str, last: str, english: str, german_forms: str) -> None:
    noun = compound(first, last)
    singular, dative = german_forms.split()
    assert (noun.english, noun.german) == (english, singular)
    assert german.decline(noun, True, "dat") == dative


def test_every_noun_is_well_formed() -> None:
    for noun in [*NOUNS, *COMPOUNDS]:
        numbers = [False] if noun.mass else [False, True]
        assert noun.gender in "mfn"
        for plural in numbers:
            for case in german.CASES:
                form = german.decline(noun, plural, case)
                assert re.fullmatch("[A-ZÄÖÜ][a-zäöüßé]+", form), form
        if not noun.mass:
            assert german.decline(noun, True, "dat")[-1] in "ns"
        if noun.gender == "f":
            assert german.genitive(noun) == noun.german
        elif not noun.weak:
            assert german.genitive(noun).endswith("s")
    with pytest.raises(ValueError, match="Milch has no plural"):
        german.decline(NOUN_BY_ENGLISH["milk"], True, "nom")


def test_every_verb_is_well_formed() -> None:
    kinds = {*NOUNS_BY_KIND, *NOUN_BY_ENGLISH}
    for known in VERBS:
        assert {*known.objects, *known.subjects} <= kinds, known.name
        assert known.german_participle.startswith(known.prefix)
        assert known.german_participle.endswith(("t", "en"))
        forms = [german.present(known, p, n) for p in (1, 2, 3) for n in (False, True)]
        forms += [german.preterite(known, p, n) for p in (1, 3) for n in (False, True)]
        forms += [german.imperative(known), known.english, known.english_past]
        assert all(re.fullmatch("[a-zäöüß]+", form) for form in forms), forms
        assert german.present(known, 2, False)[-2:] == "st" or known.german_third in (
            german.present(known, 2, False)
        )


def test_every_adjective_is_well_formed() -> None:
    for adjective in ADJECTIVES:
        for declension in ("weak", "mixed", "strong"):
            for gender in "mfnp":
                for case in german.CASES:
                    form = german.adjective(adjective.stem, declension, gender, case)
                    assert re.search("[a-zäöüß]e[rnms]?$", form), form
                    assert "ee" not in form[-3:], form
        compared = adjective.english_comparative, adjective.german_comparative
        assert bool(compared[0]) == bool(compared[1])
        assert compared[1].endswith("er") or not compared[1]


@pytest.mark.parametrize("words_of", [NOUNS, ADJECTIVES, VERBS])
def test_an_english_word_is_listed_once(words_of: list[object]) -> None:
    names = [getattr(w, "name", "") or getattr(w, "english", "") for w in words_of]
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_singular_and_plural_differ_in_english() -> None:
    assert all(noun.english != noun.english_plural for noun in NOUNS)


def test_lexicon_size() -> None:
    assert len(NOUNS) >= 150
    assert len(ADJECTIVES) >= 60
    assert len(VERBS) >= 80
    assert sum(bool(v.prefix) for v in VERBS) >= 25


def test_english_forms() -> None:
    assert english_forms.ing_form("lie") == "lying"
    assert english_forms.ing_form("put") == "putting"
    assert english_forms.ing_form("be") == "being"
    assert english_forms.third_person("hurry") == "hurries"
    assert english_forms.regular_past("tidy") == "tidied"
    assert english_forms.indefinite_article("university") == "a"
    assert english_forms.indefinite_article("honest") == "an"


def test_places_suit_their_nouns() -> None:
    chooser = Chooser(1)
    found = {
        adverbials.inside(chooser, ("surface",)).english.split()[0] for _ in range(200)
    }
    assert found == {"on", "at", "in"}
