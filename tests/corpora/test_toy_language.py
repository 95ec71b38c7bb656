"""The forms of the words of the toy language."""

from __future__ import annotations

import pytest

from alone_experiments.corpora.toy import english, german
from alone_experiments.corpora.toy.description import read_lexicon
from alone_experiments.corpora.toy.phrases import noun_phrase
from alone_experiments.corpora.toy.speaker import Speaker
from alone_experiments.corpora.toy.words import Verb
from alone_experiments.repository import ROOT

LEXICON = read_lexicon(ROOT / "data-prep" / "toy_en_de.toml")
VERBS = {
    v.en + " " * bool(v.particle) + v.particle: v
    for g in LEXICON.verbs.values()
    for v in g
}


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        ("read", "lese liest liest lesen las lasen lies"),
        ("take along", "nehme nimmst nimmt nehmen nahm nahmen nimm"),
        ("invite", "lade lädst lädt laden lud luden lade"),
        ("draw", "zeichne zeichnest zeichnet zeichnen zeichnete zeichneten zeichne"),
        ("collect", "sammle sammelst sammelt sammeln sammelte sammelten sammle"),
        ("feed", "füttere fütterst füttert füttern fütterte fütterten füttere"),
        ("greet", "grüße grüßt grüßt grüßen grüßte grüßten grüß"),
        ("work", "arbeite arbeitest arbeitet arbeiten arbeitete arbeiteten arbeite"),
        ("give", "gebe gibst gibt geben gab gaben gib"),
    ],
)
def test_conjugation(name: str, forms: str) -> None:
    verb: Verb = VERBS[name]
    *present, past, second, past_again, plural = german.conjugated(verb)
    assert [*present, past, plural, german.imperative(verb)] == forms.split()
    assert (second, past_again) == (past + "st", past)


@pytest.mark.parametrize(
    ("noun", "row", "cases"),
    [
        ("man", "the", "der Mann, den Mann, dem Mann, des Mannes"),
        ("boy", "the", "der Junge, den Jungen, dem Jungen, des Jungen"),
        ("king", "a", "ein König, einen König, einem König, eines Königs"),
        ("cat", "many+", "viele Katzen, viele Katzen, vielen Katzen, vieler Katzen"),
        ("child", "no+", "keine Kinder, keine Kinder, keinen Kindern, keiner Kinder"),
        ("milk", "this", "diese Milch, diese Milch, dieser Milch, dieser Milch"),
        ("Mr Klein", "name", "Herr Klein, Herrn Klein, Herrn Klein, Herrn Klein"),
        (
            "dog",
            "the",
            "der alte Hund, den alten Hund, dem alten Hund, des alten Hundes",
        ),
        (
            "horse",
            "a",
            "ein altes Pferd, ein altes Pferd, einem alten Pferd, eines alten Pferdes",
        ),
        ("cow", "bare+", "alte Kühe, alte Kühe, alten Kühen, alter Kühe"),
        (
            "bear",
            "the",
            "der alte Bär, den alten Bären, dem alten Bären, des alten Bären",
        ),
    ],
)
def test_declension(noun: str, row: str, cases: str) -> None:
    old = next(a for a in LEXICON.adjectives["animal"] if a.en == "old")
    adjectives = LEXICON.adjectives | {"animal": [old._replace(en_superlative="")]}
    lexicon = LEXICON._replace(weights={row: {row: 1}}, adjectives=adjectives)
    (word,) = LEXICON.nouns[noun]
    described = float(" alte" in f" {cases}")
    built = noun_phrase(Speaker(lexicon, 1), word, row, adjective=described)
    assert ", ".join(built.form(case) for case in german.CASES) == cases


def test_english_forms() -> None:
    ing = {"run": "running", "lie": "lying", "be": "being", "write": "writing"}
    ing |= {"agree": "agreeing", "open": "opening", "begin": "beginning"}
    assert {verb: english.inflected(verb, "ing") for verb in ing} == ing
    past = {"plan": "planned", "carry": "carried", "play": "played", "agree": "agreed"}
    assert {verb: english.inflected(verb, "ed") for verb in past} == past
    plurals = {"box": "boxes", "lady": "ladies", "boy": "boys", "have": "has"}
    assert {word: english.with_s(word) for word in plurals} == plurals
    adjectives = {"big": "bigger", "dry": "drier", "strange": "stranger"}
    adjectives |= {"cheap": "cheaper"}
    assert {word: english.inflected(word, "er") for word in adjectives} == adjectives
    articles = {"honest": "an", "university": "a", "egg": "an"}
    assert {word: english.indefinite_article(word) for word in articles} == articles


def test_numbers_are_the_same_in_both_languages() -> None:
    found = dict([*LEXICON.phrases["number"]])
    assert LEXICON.phrases["few"].items() <= LEXICON.phrases["number"].items()
    assert len(found) == len(set(found.values())) == 98
    expected = {"two": "zwei", "twenty": "zwanzig", "twenty-one": "einundzwanzig"}
    expected |= {"sixteen": "sechzehn", "seventy-seven": "siebenundsiebzig"}
    assert expected.items() <= found.items()
