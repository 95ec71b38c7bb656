"""Choosing among n outputs by the content words of the source."""

import argparse
import random
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alone_experiments.evaluation import rerank as command
from alone_experiments.evaluation.generation import Hypothesis, parse_nbest
from alone_experiments.evaluation.rerank import (
    choose,
    content_words,
    join_units,
    overlap,
    porter_stemmer,
    rerank,
)
from alone_experiments.mistakes import Mistake

SOURCES = ["the president of France visits 3 Troops", "prices rose in May"]
# Out of order, and the second sentence's third output is empty.
GENERATED = """\
2026-01-01 10:00:00 | INFO | fairseq_cli.generate | loading model(s)
S-1\tpri@@ ces rose in May
T-1\tp r i c e s
H-1\t-0.1\tp r i c e @@@@ r i s e
D-1\t-0.1\tprice rise
P-1\t-0.1 -0.2
H-1\t-0.4\tp r i c e s @@@@ r o s e
H-1\t-0.6\t
S-0\tthe president of France visits 3 Tro@@ ops
H-0\t-0.2\tt h e @@@@ t r o o p s
H-0\t-0.3\tp r e s i d e n t @@@@ v i s i t s
H-0\t-0.5\tp r e s i d e n t @@@@ v i s i t s @@@@ F r a n c e
Generate test with beam=20: BLEU4 = 12.00
"""


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    paths = {"generated": tmp_path / "generated", "source": tmp_path / "source"}
    paths["generated"].write_text(GENERATED, encoding="utf-8")
    source = "".join(f"{line}\n" for line in SOURCES)
    paths["source"].write_text(source, encoding="utf-8")
    return paths


def run(files: dict[str, Path], *arguments: object) -> None:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    words = ["--generated", files["generated"], "--source", files["source"], *arguments]
    command.run(parser.parse_args([str(word) for word in words]))


def test_content_words_have_a_small_letter() -> None:
    line = "the U.S. Army's 3 tanks 3rd -- NATO été ÉÈ"
    assert content_words(line) == {"the", "Army's", "tanks", "3rd", "été"}


def test_repeated_words_count_each_time() -> None:
    assert overlap("oil oil prices rise", {"oil", "rise"}) == 3


def test_most_words_win_over_the_score() -> None:
    found = [Hypothesis(-0.1, "nothing"), Hypothesis(-9.0, "oil rise")]
    assert choose(found, {"oil", "rise"}) == 1


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((-0.3, -0.2, -0.4), 1),
        ((-0.2, -0.2, -0.2), 0),
    ],
)
def test_ties_go_to_the_better_score(scores: tuple[float, ...], expected: int) -> None:
    found = [Hypothesis(score, "oil") for score in scores]
    assert choose(found, {"oil"}) == expected


@pytest.mark.parametrize(
    ("text", "units", "expected"),
    [
        ("a t @@@@ l e a s t", "characters", "at least"),
        ("a @ b", "characters", "a@b"),
        ("@ @ @ @ x", "characters", "@@@@x"),
        ("", "characters", ""),
        ("@@@@ a @@@@", "characters", "a"),
        ("é t é @@@@ 日", "characters", "été 日"),
        ("4 <U+00A0> % @@@@ < u n k > <unk>", "characters", "4\u00a0% <unk><unk>"),
        ("pri@@ ces rose", "bpe", "prices rose"),
        ("prices rose", "words", "prices rose"),
    ],
)
def test_units_become_words(text: str, units: str, expected: str) -> None:
    assert join_units(text, units) == expected


def test_best_output_of_every_sentence_in_order(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    run(files)
    printed = capsys.readouterr()
    # 3 words of the first source; 2 of the second, against none of "price rise".
    assert printed.out == "president visits France\nprices rose\n"
    assert printed.err == "2 of 2 are not the first output\n"


def test_stems_of_both_sides_are_compared(files: dict[str, Path]) -> None:
    # "price" is the stem of "prices", so that with "rise" in the source the better
    # score wins the tie.
    files["source"].write_text(f"{SOURCES[0]}\nprices rose, prices rise\n")
    output = files["source"].with_name("headlines")
    run(files, "--stem", "--output", output)
    assert output.read_text() == "president visits France\nprice rise\n"


def test_stemmer_is_that_of_the_published_experiments() -> None:
    words = ["Running", "flies", "dying", "generously", "Presidents"]
    stems = ["run", "fli", "die", "gener", "presid"]
    assert [porter_stemmer()(word) for word in words] == stems


def test_missing_nltk_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk.stem.porter", None)
    with pytest.raises(Mistake, match=r"pip install .alone-fairseq\[rerank\]"):
        porter_stemmer()


def test_other_units_and_lines(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    files["generated"].write_text("H-1\t-1\tx _ y\nH-0\t-1\tx _ y z\nD-0\t-1\tx\n")
    run(files, "--separator", "_")
    assert capsys.readouterr().out == "x yz\nx y\n"
    run(files, "--units", "words")
    assert capsys.readouterr().out == "x _ y z\nx _ y\n"
    files["generated"].write_text("D-0\t-1\tx y z\nD-1\t-1\tx\n")
    run(files, "--lines", "D")
    assert capsys.readouterr().out == "x y z\nx\n"


def test_nothing_but_empty_outputs(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    files["generated"].write_text("H-1\t-1\nH-0\t-1\t\nH-0\t-2\t\n")
    run(files)
    assert capsys.readouterr().out == "\n\n"


@pytest.mark.parametrize(
    ("generated", "message"),
    [
        ("", "generated: no hypothesis for sentence 0 .of 2 sentences 2 have none"),
        ("H-0\t-1\ta\n", "generated: no hypothesis for sentence 1 .of 2 sentences 1"),
        ("H-0\t-1\ta\nH-1\t-1\ta\nH-5\t-1\ta\n", "sentence 5, but .* has 2 lines"),
        ("H-0\t-1\ta\nH-1\ta b\n", "generated: line 2 is no H line of fairseq"),
        ("H-0\nH-1\t-1\ta\n", "generated: line 1 is no H line of fairseq"),
    ],
)
def test_bad_output_is_named_and_nothing_is_written(
    files: dict[str, Path], tmp_path: Path, generated: str, message: str
) -> None:
    files["generated"].write_text(generated)
    with pytest.raises(Mistake, match=message):
        run(files, "--output", tmp_path / "headlines")
    assert not (tmp_path / "headlines").exists()


@pytest.mark.parametrize("name", ["generated", "source"])
def test_missing_file_is_named(files: dict[str, Path], name: str) -> None:
    files[name].unlink()
    with pytest.raises(Mistake, match=f"cannot read .*{name}: No such file"):
        run(files)


def test_empty_source_is_named(files: dict[str, Path]) -> None:
    files["source"].write_text("")
    with pytest.raises(Mistake, match=r"--source .*source has no line"):
        run(files)


words = st.lists(st.sampled_from(["oil", "Oil", "rise", "3", "fall", "."]), max_size=6)
outputs = st.lists(st.tuples(st.floats(-9, 0), words), min_size=1, max_size=5)


@given(st.lists(st.tuples(words, outputs), max_size=5), st.integers(0, 99))
def test_against_the_published_order(
    corpus: list[tuple[list[str], list[tuple[float, list[str]]]]], seed: int
) -> None:
    """The best first, the first of those with the highest count is taken."""
    lines, sources, expected = [], [], []
    for number, (source, found) in enumerate(corpus):
        content = set(source) - {"3", "."}
        best, most = "", -1
        for _, text in sorted(found, key=lambda pair: -pair[0]):
            count = sum(word in content for word in text)
            if count > most:
                best, most = " ".join(text), count
        sources.append(" ".join(source))
        expected.append(best)
        lines += [f"H-{number}\t{score!r}\t{' '.join(text)}" for score, text in found]
    sentences = list(range(len(corpus)))
    random.Random(seed).shuffle(sentences)
    shuffled = [
        line for n in sentences for line in lines if line.startswith(f"H-{n}\t")
    ]
    nbest = parse_nbest(shuffled)
    chosen = rerank(nbest, sources)
    texts = [nbest[number][index].text for number, index in enumerate(chosen)]
    assert texts == expected


characters = st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\r")


@given(st.lists(st.text(characters, min_size=1), max_size=6))
def test_characters_become_the_words_they_were(sentence: list[str]) -> None:
    units = " @@@@ ".join(" ".join(word) for word in sentence)
    assert join_units(units, "characters") == " ".join(sentence)
