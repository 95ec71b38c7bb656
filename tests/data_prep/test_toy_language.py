"""The forms of the toy language, and sentences read and judged one by one."""

from __future__ import annotations

import re

import pytest

from alone_experiments.corpora.toy import english, german
from alone_experiments.corpora.toy.corpus import DESCRIPTION, Corpus, Size, build_corpus
from alone_experiments.corpora.toy.description import read_lexicon
from alone_experiments.corpora.toy.phrases import noun_phrase
from alone_experiments.corpora.toy.speaker import Speaker
from alone_experiments.corpora.toy.words import Verb

LEXICON = read_lexicon(DESCRIPTION)
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
            *("dog", "the"),
            "der alte Hund, den alten Hund, dem alten Hund, des alten Hundes",
        ),
        (
            *("horse", "a"),
            "ein altes Pferd, ein altes Pferd, einem alten Pferd, eines alten Pferdes",
        ),
        ("cow", "bare+", "alte Kühe, alte Kühe, alten Kühen, alter Kühe"),
        (
            *("bear", "the"),
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


# At least one pair for every construction.
JUDGED = """
The king who praises the big doctors brings along the needle.
  Der König, der die großen Ärzte lobt, bringt die Nadel mit.
Has the shy woman waited for the good pupils?
  Hat die schüchterne Frau auf die guten Schüler gewartet?
He has put the novel into the bag.
  Er hat den Roman in die Tasche gelegt.
Lena has worn this cap instead of driving to France.
  Lena hat diese Mütze getragen, statt nach Frankreich zu fahren.
We have written that every brave niece gets off quietly.
  Wir haben geschrieben, dass jede mutige Nichte leise aussteigt.
Because they shared a delicious pear, she was not nervous.
  Weil sie eine leckere Birne teilten, war sie nicht nervös.
Ten weeks ago, the sister saw the terrible train.
  Vor zehn Wochen sah die Schwester den schrecklichen Zug.
Daniel cooks his potato although it is small.
  Daniel kocht seine Kartoffel, obwohl sie klein ist.
Emma, dream of the expensive taxi!
  Emma, träum vom teuren Taxi!
These lazy witches are taking off the beautiful dress.
  Diese faulen Hexen ziehen gerade das schöne Kleid aus.
When David repeated this secret, Otto was patient.
  Als David dieses Geheimnis wiederholte, war Otto geduldig.
Which ugly rabbit will the hungriest ladies see?
  Welches hässliche Kaninchen werden die hungrigsten Damen sehen?
The big professor was greeted by a brave niece.
  Der große Professor wurde von einer mutigen Nichte gegrüßt.
Their modern pullover was as heavy as my silk shirt.
  Ihr moderner Pullover war so schwer wie mein Seidenhemd.
Martin drives to the bakery without repairing every white oven.
  Martin fährt zur Bäckerei, ohne jeden weißen Ofen zu reparieren.
During the meeting, three beautiful baskets belong to twelve nurses.
  Während der Besprechung gehören drei schöne Körbe zwölf Krankenschwestern.
The farmer goes to the high church in order to read an interesting story.
  Der Bauer geht zur hohen Kirche, um eine interessante Geschichte zu lesen.
David tries to postpone the longest competition.
  David versucht, den längsten Wettbewerb zu verschieben.
She was allowed to clean the living room on Monday evening.
  Sie durfte am Montagabend das Wohnzimmer putzen.
In this big factory, there were fifty-two white tulips.
  In dieser großen Fabrik gab es zweiundfünfzig weiße Tulpen.
The prince whom Nina has watched agreed with the weak actress.
  Der Prinz, dem Nina zugesehen hat, stimmte der schwachen Schauspielerin zu.
Our beautiful postcard is being read.
  Unsere schöne Postkarte wird gerade gelesen.
Paul is a content doctor.
  Paul ist ein zufriedener Arzt.
The small aunt is nine years old.
  Die kleine Tante ist neun Jahre alt."""


@pytest.fixture(scope="module")
def german_of() -> dict[str, set[str]]:
    corpus: Corpus = build_corpus(LEXICON, Size(), 1)
    found: dict[str, set[str]] = {}
    for pair in (pair for pairs in corpus.values() for pair in pairs):
        found.setdefault(pair.english, set()).add(pair.german)
    return found


@pytest.mark.parametrize(
    ("english_side", "german_side"), re.findall("(.+)\n  (.+)", JUDGED)
)
def test_sentences_of_the_default_corpus(
    german_of: dict[str, set[str]], english_side: str, german_side: str
) -> None:
    assert german_of[english_side] == {german_side}
