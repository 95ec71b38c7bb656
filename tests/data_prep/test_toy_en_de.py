"""The toy corpus keeps its promises, and the command that writes it behaves."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

DATA_PREP = Path(__file__).resolve().parents[2] / "data-prep"
SCRIPT = DATA_PREP / "toy_en_de.py"
sys.path.insert(0, str(DATA_PREP))

import toy_en_de  # noqa: E402
from toy_language.adjectives import ADJECTIVES, ADJECTIVES_BY_KIND  # noqa: E402
from toy_language.chooser import Chooser  # noqa: E402
from toy_language.compounds import COMPOUNDS  # noqa: E402
from toy_language.nouns import NOUN_BY_ENGLISH, NOUNS_BY_KIND  # noqa: E402
from toy_language.sentences import Sentence, sentence, words  # noqa: E402

FILES = [
    f"{part}.{side}" for part in ("train", "valid", "test") for side in ("en", "de")
]
GOLDEN = "7af35c0bd02f7829df4abbbe16fb66739918021a926830a1a42ddd013eaf69f8"


@pytest.fixture(scope="module")
def corpus() -> toy_en_de.Corpus:
    return toy_en_de.build_corpus(20_000, 500, 500, seed=1, min_count=3)


@pytest.fixture(scope="module")
def draws() -> list[Sentence]:
    chooser = Chooser(7)
    return [sentence(chooser) for _ in range(6_000)]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def digest(folder: Path) -> str:
    whole = b"".join((folder / name).read_bytes() for name in FILES)
    return hashlib.sha256(whole).hexdigest()


def test_default_corpus_has_the_golden_checksum(
    corpus: toy_en_de.Corpus, tmp_path: Path
) -> None:
    toy_en_de.write_corpus(corpus, tmp_path)
    assert digest(tmp_path) == GOLDEN


def test_sizes(corpus: toy_en_de.Corpus) -> None:
    assert {name: len(s) for name, s in corpus.items()} == {
        "train": 20_000,
        "valid": 500,
        "test": 500,
    }


def test_no_english_sentence_occurs_twice(corpus: toy_en_de.Corpus) -> None:
    english = [s.english for sentences in corpus.values() for s in sentences]
    assert len(set(english)) == len(english)


def test_held_out_combinations_are_in_valid_and_test_only(
    corpus: toy_en_de.Corpus,
) -> None:
    for name, sentences in corpus.items():
        for drawn in sentences:
            held_out = any(map(toy_en_de.is_held_out, drawn.pairings))
            assert held_out == (name != "train"), drawn


def test_held_out_adjective_and_noun_never_stand_together_in_train(
    corpus: toy_en_de.Corpus,
) -> None:
    """Looks at the text alone, not at what the grammar noted."""
    text = "\n".join(s.english.lower() for s in corpus["train"])
    adjacent = set(re.findall(r"(?=\b([\w-]+ [\w-]+)\b)", text))
    first_parts = {noun.parts[0] for noun in COMPOUNDS}
    checked = 0
    for kind, adjectives in ADJECTIVES_BY_KIND.items():
        for noun in NOUNS_BY_KIND[kind]:
            if noun.english in first_parts or " " in noun.english:
                continue
            for adjective in adjectives:
                if toy_en_de.is_held_out(
                    ("adjective", adjective.english, noun.english)
                ):
                    checked += 1
                    for form in (noun.english, noun.english_plural or noun.english):
                        assert f"{adjective.english} {form}" not in adjacent
    assert checked > 300


def test_what_is_noted_is_in_the_text(draws: list[Sentence]) -> None:
    plain = {a.english for a in ADJECTIVES}
    plain -= {a.english for a in ADJECTIVES if a.english_comparative}
    for drawn in draws:
        text = drawn.english.lower()
        for kind, first, second in drawn.pairings:
            if kind in ("adjective", "object"):
                noun = NOUN_BY_ENGLISH[second]
                plural = noun.english_plural or noun.english
                assert noun.english in text or plural in text, drawn
            if kind == "compound" or first in plain:
                assert first.lower() in text, drawn


def test_words_of_valid_and_test_are_known_from_train(corpus: toy_en_de.Corpus) -> None:
    for side in ("english", "german"):
        train = Counter(w for s in corpus["train"] for w in words(getattr(s, side)))
        for drawn in corpus["valid"] + corpus["test"]:
            coined = {form.lower() for form in drawn.coined}
            for word in words(getattr(drawn, side)):
                assert train[word] >= 3 or word.lower() in coined, (word, drawn)


def test_lengths_and_vocabulary(corpus: toy_en_de.Corpus) -> None:
    for side, forms in (("english", 1_500), ("german", 2_500)):
        texts = [words(getattr(s, side)) for s in corpus["train"]]
        lengths = [len(text) for text in texts]
        assert min(lengths) >= 3
        assert max(lengths) <= 25
        assert 9 <= sum(lengths) / len(lengths) <= 11
        assert len({word.lower() for text in texts for word in text}) >= forms


def test_one_english_sentence_has_one_german_one() -> None:
    german_of: dict[str, str] = {}
    for seed in range(2):
        chooser = Chooser(seed)
        for _ in range(8_000):
            drawn = sentence(chooser)
            known = german_of.setdefault(drawn.english, drawn.german)
            assert known == drawn.german, drawn.english


def test_sentences_are_well_written(draws: list[Sentence]) -> None:
    for drawn in draws:
        for text in (drawn.english, drawn.german):
            assert re.fullmatch(r"[A-ZÄÖÜ0-9].*[\w)][.?!]", text), text
            assert not re.search(r"  |,[.,?!]| [.,?!]|None|\(", text), text
        assert drawn.english[-1] == drawn.german[-1]
        article = re.findall(r"\b([Aa]n?) (\w+)", drawn.english)
        for form, following in article:
            vowel = following[0].lower() in "aeiou"
            if following in ("university", "honest"):
                vowel = not vowel
            assert (form.lower() == "an") == vowel, drawn.english


# Read and judged one by one: at least one pair for every construction.
JUDGED = """
The guest who dreamed of a lorry last year is angry.
  Der Gast, der letztes Jahr von einem Lastwagen träumte, ist wütend.
The girl about whom some shy policemen think is not ill.
  Das Mädchen, an das einige schüchterne Polizisten denken, ist nicht krank.
The cheap suitcase was too dirty.
  Der billige Koffer war zu schmutzig.
In two days, Peter must greet the witch.
  In zwei Tagen muss Peter die Hexe grüßen.
Every week, the famous baby pulls the actor's brown chair.
  Jede Woche zieht das berühmte Baby den braunen Stuhl des Schauspielers.
The fresh pizzas have been cut by him.
  Die frischen Pizzen sind von ihm geschnitten worden.
A prince admires this library although it is very dark.
  Ein Prinz bewundert diese Bibliothek, obwohl sie sehr dunkel ist.
Why could the boss follow a tame monkey?
  Warum konnte der Chef einem zahmen Affen folgen?
They planned to wait for the tall nurses.
  Sie planten, auf die großen Krankenschwestern zu warten.
It is not important to work with the angry boss.
  Es ist nicht wichtig, mit dem wütenden Chef zu arbeiten.
Mrs Wagner smiles without drinking up the cocoa.
  Frau Wagner lächelt, ohne den Kakao auszutrinken.
Before a soldier eats the cheese, the hungry waitress goes out.
  Bevor ein Soldat den Käse isst, geht die hungrige Kellnerin aus.
Which ugly hotel window does Laura close?
  Welches hässliche Hotelfenster macht Laura zu?
The hot beer is sweeter than your cocoa.
  Das heiße Bier ist süßer als dein Kakao.
First they bring along a candle, then they return home.
  Zuerst bringen sie eine Kerze mit, dann kehren sie nach Hause zurück.
Emma, do not offer the judge a delicious tomato pizza!
  Emma, biete dem Richter keine leckere Tomatenpizza an!
Your carpet is old, but it is very brown.
  Dein Teppich ist alt, aber er ist sehr braun.
Nina wonders where they send back a drawer.
  Nina überlegt, wo sie eine Schublade zurückschicken.
Mr Wagner is a young soldier.
  Herr Wagner ist ein junger Soldat.
The hotel key costs twelve euros.
  Der Hotelschlüssel kostet zwölf Euro.
On the field, there were many yellow ovens.
  Auf dem Feld gab es viele gelbe Öfen.
Can a hungry baker tell the ladies his old love story?
  Kann ein hungriger Bäcker den Damen seine alte Liebesgeschichte erzählen?
Who ate up a salty egg?
  Wer aß ein salziges Ei auf?
The boy is fifty-one years old.
  Der Junge ist einundfünfzig Jahre alt.
Sixty plus seven is sixty-seven.
  Sechzig plus sieben ist siebenundsechzig."""


@pytest.mark.parametrize(("english", "german"), re.findall("(.+)\n  (.+)", JUDGED))
def test_sentences_of_the_default_corpus(
    corpus: toy_en_de.Corpus, english: str, german: str
) -> None:
    everything = [s for part in corpus.values() for s in part]
    assert [s.german for s in everything if s.english == english] == [german]


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "new" / "toy"
    done = run(folder, "--train", 300, "--valid", 5, "--test", 5, "--min-count", 1)
    assert done.returncode == 0, done.stderr
    assert "pairs: 300 train, 5 valid, 5 test" in done.stdout
    return folder  # type: ignore[return-value]


def test_command_writes_six_files_and_nothing_else(small: Path) -> None:
    assert sorted(os.listdir(small)) == sorted(FILES)
    counts = [len((small / f).read_text(encoding="utf-8").splitlines()) for f in FILES]
    assert counts == [300, 300, 5, 5, 5, 5]


def test_running_again_gives_the_same_bytes(small: Path) -> None:
    before = digest(small)
    assert run(small, "--train", 300, "--valid", 5, "--test", 5, "--min-count", 1)
    assert digest(small) == before
    run(small, "--train", 300, "--valid", 5, "--test", 5, "--min-count", 1, "--seed", 2)
    assert digest(small) != before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--train", "-3"), "'-3' is not a whole number"),
        (("--valid", "many"), "'many' is not a whole number"),
        (("--sead", "3"), "unrecognized arguments"),
        (("--train", "50"), "raise --train, lower --min-count"),
    ],
)
def test_bad_input_gets_one_line_and_exit_2(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = run(tmp_path / "out", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    occupied = tmp_path / "occupied"
    occupied.write_text("mine")
    for target in (occupied, occupied / "below"):
        done = run(target, "--train", 10, "--valid", 0, "--test", 0)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
    assert occupied.read_text() == "mine"


def test_help_names_every_flag() -> None:
    done = run("--help")
    assert done.returncode == 0
    for flag in ("--train", "--valid", "--test", "--seed", "--min-count"):
        assert flag in done.stdout


def test_interruption_while_writing_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = []
    write_bytes = Path.write_bytes

    def interrupted(self: Path, data: bytes) -> int:
        if len(written) == 3:
            raise KeyboardInterrupt
        written.append(self)
        return write_bytes(self, data)

    monkeypatch.setattr(Path, "write_bytes", interrupted)
    sizes = ["--train", "30", "--valid", "0", "--test", "0", "--min-count", "0"]
    (tmp_path / "train.en").write_text("old")
    assert toy_en_de.main([str(tmp_path), *sizes]) == 130
    assert os.listdir(tmp_path) == ["train.en"]
    assert (tmp_path / "train.en").read_text() == "old"
