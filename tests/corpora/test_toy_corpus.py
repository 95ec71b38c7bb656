"""The toy corpus keeps its promises, and the command that prepares it behaves."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from alone_experiments.corpora import prepare, toy_text
from alone_experiments.corpora.description import find_description
from alone_experiments.corpora.job import Job
from alone_experiments.corpora.options import parse
from alone_experiments.corpora.toy.description import read_lexicon
from alone_experiments.corpora.toy.sentences import Sentence, words
from alone_experiments.corpora.toy.words import Lexicon
from alone_experiments.corpora.toy_text import Corpus, Size, build_corpus, is_novel
from alone_experiments.mistakes import Mistake
from alone_experiments.repository import ROOT

FILES = [
    f"{part}.{side}" for part in ("train", "valid", "test") for side in ("en", "de")
]
GOLDEN = "7cc616a14663e5e493c2f0181e9598848084722218e4c8d08e3e7f8abab34d0e"
JUDGED = Path(__file__).with_name("judged_toy_sentences.txt")
RULES = ROOT / "data-prep" / "toy_en_de.toml"
SMALL = Size(train=300, valid=5, test=5, min_count=1, seed=1)
FLAGS = "--train 300 --valid 5 --test 5 --min-count 1"


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return read_lexicon(RULES)


@pytest.fixture(scope="module")
def size() -> Size:
    return Size.of(parse(find_description("toy"), []))


@pytest.fixture(scope="module")
def corpus(lexicon: Lexicon, size: Size) -> Corpus:
    return build_corpus(lexicon, size)


def digest(folder: Path) -> str:
    whole = b"".join((folder / "raw" / name).read_bytes() for name in FILES)
    return hashlib.sha256(whole).hexdigest()


@pytest.mark.slow
def test_default_corpus_has_the_golden_checksum(
    corpus: Corpus, size: Size, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {name: len(pairs) for name, pairs in corpus.items()}
    assert sizes == {"train": 20_000, "valid": 500, "test": 500}
    monkeypatch.setattr(toy_text, "build_corpus", lambda *_: corpus)
    said = toy_text.write_corpus(tmp_path, RULES, size)
    assert said == "pairs: 20,000 train, 500 valid, 500 test"
    assert digest(tmp_path) == GOLDEN


@pytest.mark.slow
def test_no_english_sentence_occurs_twice(corpus: Corpus) -> None:
    english = [pair.english for pairs in corpus.values() for pair in pairs]
    assert len(set(english)) == len(english)


@pytest.mark.slow
def test_held_out_combinations_are_in_valid_and_test_only(corpus: Corpus) -> None:
    for name, pairs in corpus.items():
        assert all(is_novel(pair) == (name != "train") for pair in pairs)


@pytest.mark.slow
def test_held_out_adjective_and_noun_never_stand_together_in_train(
    corpus: Corpus, lexicon: Lexicon
) -> None:
    """Looks at the text alone, not at what the grammar noted."""
    text = "\n".join(pair.english.lower() for pair in corpus["train"])
    adjacent = set(re.findall(r"(?=\b([\w-]+ [\w-]+)\b)", text))
    first_parts = {
        noun.en.split()[0] for joined in lexicon.compounds.values() for noun in joined
    }
    checked = 0
    for kind in lexicon.adjectives:
        for noun in lexicon.nouns[kind]:
            for adjective in lexicon.adjectives[noun.kind]:
                pairing = frozenset({("adjective", adjective.en, noun.en)})
                simple = " " not in noun.en and noun.en not in first_parts
                if simple and is_novel(Sentence("", "", pairing)):
                    checked += 1
                    assert f"{adjective.en} {noun.en}" not in adjacent
                    assert f"{adjective.en} {noun.en_plural or noun.en}" not in adjacent
    assert checked > 300


@pytest.mark.slow
def test_words_of_valid_and_test_are_known_from_train(corpus: Corpus) -> None:
    for side in ("english", "german"):
        train = Counter(w for p in corpus["train"] for w in words(getattr(p, side)))
        others = corpus["valid"] + corpus["test"]
        assert all(train[w] >= 3 for p in others for w in words(getattr(p, side)))


@pytest.mark.slow
def test_lengths_and_frequencies_are_those_of_a_language(corpus: Corpus) -> None:
    """A few words make up half of the text, half of the words are rare."""
    for side, forms in (("english", 1_800), ("german", 3_000)):
        texts = [words(getattr(pair, side)) for pair in corpus["train"]]
        assert all(3 <= len(text) <= 25 for text in texts)
        counts = Counter(word for text in texts for word in text)
        total = sum(counts.values())
        assert 8.5 <= total / len(texts) <= 10
        assert len(counts) >= forms
        assert 0.4 < sum(n for _, n in counts.most_common(100)) / total < 0.6
        assert counts.most_common(forms // 2)[-1][1] < 70


@pytest.mark.slow
def test_every_word_of_the_file_is_used(corpus: Corpus, lexicon: Lexicon) -> None:
    pairs = [pair for pairs in corpus.values() for pair in pairs]
    said = {word.lower() for pair in pairs for word in words(pair.english)}
    known = {n.en for nouns in lexicon.nouns.values() for n in nouns}
    known |= {n.en for nouns in lexicon.compounds.values() for n in nouns}
    known |= {a.en for adjectives in lexicon.adjectives.values() for a in adjectives}
    known |= {en for phrases in lexicon.phrases.values() for en, _ in phrases}
    unused = {text for text in known if not {*words(text.lower())} <= said | {"{", "}"}}
    assert {text for text in unused if "{" not in text} == set()
    forms = {word.lower() for pair in pairs for word in words(pair.german)}
    for verb in (v for verbs in lexicon.verbs.values() for v in verbs):
        inflected = {verb.de, verb.de_third, verb.de_past, verb.de_participle}
        inflected |= {verb.de[:-1]}
        separable = {verb.prefix + form for form in inflected}
        assert (inflected | separable) & forms, verb.de


@pytest.mark.slow
def test_sentences_are_well_written(corpus: Corpus) -> None:
    for pair in corpus["train"]:
        for text in (pair.english, pair.german):
            assert re.fullmatch(r"[A-ZÄÖÜ0-9].*\w[.?!]", text), text
            assert not re.search(r"  |,[.,?!]| [.,?!]|None|[(){}+]", text), text
        assert pair.english[-1] == pair.german[-1]
        for form, following in re.findall(r"\b([Aa]n?) (\w+)", pair.english):
            vowel = following[0].lower() in "aeiou"
            vowel = not vowel if following in ("university", "honest") else vowel
            assert (form.lower() == "an") == vowel, pair.english


@pytest.mark.slow
def test_sentences_are_those_that_were_judged_one_by_one(corpus: Corpus) -> None:
    """At least one pair for every construction."""
    german = {p.english: p.german for pairs in corpus.values() for p in pairs}
    judged = re.findall("(.+)\n  (.+)", JUDGED.read_text(encoding="utf-8"))
    assert len(judged) == 24
    assert {english: german.get(english) for english, _ in judged} == dict(judged)


@pytest.mark.slow
def test_the_seed_decides(tmp_path: Path) -> None:
    digests = []
    for seed in (1, 1, 2):
        toy_text.write_corpus(tmp_path, RULES, replace(SMALL, seed=seed))
        digests.append(digest(tmp_path))
    assert digests[0] == digests[1] != digests[2]
    assert [path.name for path in tmp_path.iterdir()] == ["raw"]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("[tenses]", "[tense]", "there is no table [tenses]"),
        ('dog = "der', 'dog = "dem', "[nouns.animal] dog = 'dem Hund, Hundes, Hunde'"),
        ('cook = "kochen, ', 'cook = "', "[verbs.transitive] cook = 'kocht, "),
        ('| acc text"', '| acc texts"', "texts is neither a noun, a kind nor a set"),
        ("future = { weight", "future = { wait", "[tenses] future = {'wait'"),
        (
            "in {dat} | 20",
            "in {dat} | x",
            "[phrases.in_or_on] in {within} = 'in {dat} |",
        ),
        (
            '"{a.second}.", 310',
            '"{a.third}.", 310',
            "[[sentences]] say = ['{a.statement}.', '{a.third}.', 310]",
        ),
        ('stem = "kein"', 'stems = "kein"', "[determiners] no = {'en': 'a', 'stems'"),
        ("[compounds.cake]", "[compounds.pie]", "[compounds.pie] apple cake = "),
        ("[orders]", "[orders", "line"),
    ],
)
def test_broken_description_is_told_in_one_line(
    tmp_path: Path, before: str, after: str, message: str
) -> None:
    text = RULES.read_text(encoding="utf-8")
    assert before in text
    broken = tmp_path / "words.toml"
    broken.write_text(text.replace(before, after), encoding="utf-8")
    with pytest.raises(Mistake) as told:
        toy_text.write_corpus(tmp_path / "out", broken, SMALL)
    assert str(told.value).startswith(str(broken))
    assert message in str(told.value)
    assert "\n" not in str(told.value)
    assert not (tmp_path / "out").exists()


def job(folder: Path, flags: str) -> Job:
    description = find_description("toy")
    words = [*flags.split(), "--output", str(folder)]
    return Job.of(description, parse(description, words))


def test_preparation_writes_six_files_and_again_when_the_size_changes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for flags in (FLAGS, FLAGS, f"{FLAGS} --train 301"):
        toy_text.write_raw(job(tmp_path, flags))
    said = "==> writing the toy corpus\n==> pairs: {} train, 5 valid, 5 test\n"
    assert capsys.readouterr().err == said.format(300) + said.format(301)
    raw = tmp_path / "raw"
    assert sorted(path.name for path in raw.iterdir()) == sorted(FILES)
    counts = [len((raw / f).read_text(encoding="utf-8").splitlines()) for f in FILES]
    assert counts == [301, 301, 5, 5, 5, 5]


def test_a_corpus_that_cannot_be_made_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toy_text, "_PATIENCE", 500)
    with pytest.raises(Mistake, match="raise --train, lower --min-count") as told:
        toy_text.write_raw(job(tmp_path, "--train 50"))
    assert "\n" not in str(told.value)
    assert not (tmp_path / "raw").exists()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--train -3", "--train: must be a whole number from 1, not -3"),
        ("--sead 3", "unrecognized arguments: --sead 3"),
    ],
)
def test_bad_flags_get_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: str, message: str
) -> None:
    with pytest.raises(SystemExit):
        job(tmp_path / "out", flags)
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_file_in_the_place_of_the_folder_is_left_alone(tmp_path: Path) -> None:
    occupied = tmp_path / "occupied"
    occupied.write_text("mine")
    made = job(occupied, FLAGS)
    with pytest.raises(Mistake) as told:
        prepare.prepare(made.description, made.settings)
    assert str(occupied) in str(told.value)
    assert "\n" not in str(told.value)
    assert occupied.read_text() == "mine"
