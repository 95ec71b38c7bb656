"""Reading generated translations and scoring them."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alone_experiments.evaluation import bleu
from alone_experiments.evaluation.generation import (
    detokenise,
    in_order,
    parse_generation,
    parse_nbest,
    remove_bpe,
)
from alone_experiments.lines import read_lines
from alone_experiments.mistakes import Mistake

GENERATED = """\
2026-01-01 10:00:00 | INFO | fairseq_cli.generate | loading model(s)
S-1\tHello , world !
T-1\tHallo , Welt !
H-1\t-0.25\tHal@@ lo , Welt !
D-1\t-0.25\tHallo, Welt!
P-1\t-0.1 -0.2
S-0\tThe dog sleeps .
H-0\t-0.5\tDer H@@ und schl@@ äft .
D-0\t-0.5\tDer Hund schläft.
Generate test with beam=5: BLEU4 = 12.00
"""
REFERENCES = ["Der Hund schläft.", "Hallo, schöne Welt!"]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    paths = {"generated": tmp_path / "generated", "reference": tmp_path / "reference"}
    paths["generated"].write_text(GENERATED, encoding="utf-8")
    reference = "".join(f"{line}\n" for line in REFERENCES)
    paths["reference"].write_text(reference, encoding="utf-8")
    return paths


def run(*arguments: object) -> None:
    parser = argparse.ArgumentParser()
    bleu.add_arguments(parser)
    bleu.run(parser.parse_args([str(argument) for argument in arguments]))


def test_hypotheses_are_found_by_number() -> None:
    assert parse_generation(GENERATED.splitlines()) == {
        0: "Der H@@ und schl@@ äft .",
        1: "Hal@@ lo , Welt !",
    }


def test_references_have_no_score() -> None:
    lines = ["T-1\tHal@@ lo , Welt !", "T-0\t", "H-0\t-0.5\tx"]
    assert parse_generation(lines, kind="T") == {0: "", 1: "Hal@@ lo , Welt !"}
    with pytest.raises(Mistake, match="line 1 is no T line"):
        parse_generation(["T-x\ta"], kind="T")


def test_lines_of_the_other_kind() -> None:
    found = parse_generation(GENERATED.splitlines(), kind="D")
    assert found == {0: "Der Hund schläft.", 1: "Hallo, Welt!"}


@pytest.mark.parametrize("line", ["H-0\t-0.5\t", "H-0\t-0.5"])
def test_empty_translation_is_a_translation(line: str) -> None:
    assert parse_generation([line]) == {0: ""}


@pytest.mark.parametrize("line", ["H-", "H-x\t-1\ttext", "H-3", "H-²\t-1\ta"])
def test_damaged_line_is_named(line: str) -> None:
    with pytest.raises(Mistake, match="line 2 is no H line"):
        parse_generation(["S-0\tHello", line])


def test_second_hypothesis_is_refused() -> None:
    with pytest.raises(Mistake, match=r"line 2: sentence 7 has a second.*--nbest 1"):
        parse_generation(["H-7\t-1\ta", "H-7\t-2\tb"])


@pytest.mark.parametrize(
    ("found", "sentences", "message"),
    [
        ({0: "a", 2: "c"}, 3, "2 translations for 3 references.*number 1"),
        ({0: "a"}, 3, "1 translations for 3 references.*number 1"),
        ({0: "a", 1: "b", 2: "c"}, 2, "3 translations for 2 references: "),
        ({0: "a", 2: "c"}, 2, "2 translations for 2 references.*number 1"),
    ],
)
def test_count_that_differs_is_an_error(
    found: dict[int, str], sentences: int, message: str
) -> None:
    with pytest.raises(Mistake, match=message):
        in_order(found, sentences)


words = st.text(
    st.characters(categories=["L", "N", "P"], exclude_characters="@"), min_size=1
)
sentences = st.lists(words, max_size=8)


@given(st.lists(sentences, max_size=12), st.randoms(use_true_random=False))
def test_any_order_of_the_output_is_put_right(
    texts: list[list[str]], random: object
) -> None:
    lines = [f"H-{n}\t-0.1\t{' '.join(text)}\n" for n, text in enumerate(texts)]
    random.shuffle(lines)  # type: ignore[attr-defined]
    assert in_order(parse_generation(lines), len(texts)) == list(map(" ".join, texts))


@given(sentences, st.data())
def test_removing_bpe_undoes_any_splitting(
    sentence: list[str], data: st.DataObject
) -> None:
    units: list[str] = []
    for word in sentence:
        cut = data.draw(st.integers(0, len(word) - 1))
        units += [f"{word[:cut]}@@", word[cut:]] if cut else [word]
    assert remove_bpe(" ".join(units)) == " ".join(sentence)


def test_unit_cut_off_at_the_end_loses_its_marker() -> None:
    assert remove_bpe("ein H@@") == "ein H"


def test_detokenising_german() -> None:
    tokens = "&quot; Nein , &quot; sagt er ; das kostet 5 @-@ mal so viel ( etwa ) ."
    expected = '"Nein," sagt er; das kostet 5-mal so viel (etwa).'
    assert detokenise([tokens, ""], "de") == [expected, ""]


@pytest.mark.parametrize("language", ["xx", "German", "d", "../de", ""])
def test_a_code_of_no_language_is_refused(language: str) -> None:
    with pytest.raises(Mistake, match="there is no language"):
        detokenise(["a ."], language)


@pytest.mark.parametrize("language", ["tr", "ja", "tdt"])
def test_languages_with_and_without_rules_of_their_own(language: str) -> None:
    assert detokenise(["a ."], language) == ["a."]


@pytest.mark.parametrize("score", ["nan", "-inf", "inf", "1e999"])
def test_a_score_that_is_not_finite_is_refused(score: str) -> None:
    with pytest.raises(Mistake, match=r"line 1 .*not finite"):
        parse_nbest([f"H-0\t{score}\tw"])


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_bytes("eins\u2028zwei\x0b drei \r\nvier".encode())
    assert read_lines(file) == ["eins\u2028zwei\x0b drei", "vier"]


def test_score_with_its_signature(files: dict[str, Path], tmp_path: Path) -> None:
    arguments = ["--generated", files["generated"], "--reference", files["reference"]]
    output, scores = tmp_path / "hypotheses", tmp_path / "bleu.json"
    run(*arguments, "--language", "de", "--output", output, "--json", scores)
    assert output.read_text() == "Der Hund schläft.\nHallo, Welt!\n"
    score = json.loads(scores.read_text())
    assert score["sentences"] == 2
    assert score["signature"].startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp")


GENERATED_COMPOUNDS = """\
T-0\tdas Make-@@ up ist rot .
H-0\t-0.5\tdas Make-@@ down ist rot .
T-1\ter geht nach Haus .
H-1\t-0.5\ter geht nach Haus .
"""


def test_compound_split_score_stands_beside(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files["generated"].write_text(GENERATED_COMPOUNDS, encoding="utf-8")
    arguments = ["--generated", files["generated"], "--reference", files["reference"]]
    run(*arguments, "--json", tmp_path / "a.json")
    run(*arguments, "--json", tmp_path / "b.json", "--compound-split")
    plain, split = (json.loads((tmp_path / f"{n}.json").read_text()) for n in "ab")
    assert plain["compound_split"] is None
    assert split["bleu"] == plain["bleu"]
    # 12 tokens, of which one is wrong; n-grams counted by hand.
    expected = 100 * (11 / 12 * 8 / 10 * 5 / 8 * 2 / 6) ** 0.25
    assert split["compound_split"]["bleu"] == pytest.approx(expected)
    assert "Tokenised, compounds split: BLEU = " in capsys.readouterr().out


def test_generation_without_references_cannot_be_split(files: dict[str, Path]) -> None:
    lines = [ln for ln in GENERATED.splitlines(keepends=True) if ln[:2] != "T-"]
    files["generated"].write_text("".join(lines), encoding="utf-8")
    arguments = ["--generated", files["generated"], "--reference", files["reference"]]
    with pytest.raises(Mistake, match="generated: no line begins with T-: give"):
        run(*arguments, "--compound-split")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "^cannot read .*generated: No such file"),
        ("Der Hund schläft.\n", "generated: no line begins with H-: give the output"),
        ("H-1\t-1\tWelt\n", "1 translations for 2 references, the first without"),
    ],
)
def test_what_is_no_output_of_generation_is_named_once(
    files: dict[str, Path], content: str | None, message: str
) -> None:
    files["generated"].unlink()
    if content is not None:
        files["generated"].write_text(content, encoding="utf-8")
    with pytest.raises(Mistake, match=message):
        run("--generated", files["generated"], "--reference", files["reference"])


def test_same_score_as_the_sacrebleu_command(
    files: dict[str, Path], tmp_path: Path
) -> None:
    output, scores = tmp_path / "hypotheses", tmp_path / "bleu.json"
    arguments = ["--generated", files["generated"], "--reference", files["reference"]]
    run(*arguments, "--output", output, "--json", scores)
    command = [sys.executable, "-m", "sacrebleu", str(files["reference"])]
    command += ["-i", str(output), "--width", "12"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True)
    theirs, ours = json.loads(printed.stdout), json.loads(scores.read_text())
    assert theirs["score"] == pytest.approx(ours["bleu"], abs=1e-11)
    assert theirs["signature"] == ours["signature"]


def test_score_of_real_text_equals_the_sacrebleu_command(
    shared_data: object, tmp_path: Path
) -> None:
    folder = shared_data("multi30k")  # type: ignore[operator]
    reference, hypotheses = folder / "test_2016_flickr.de", tmp_path / "hypotheses"
    # One word fewer in every sentence: a score that is neither 0 nor 100.
    lines = [line.partition(" ")[2] for line in read_lines(reference)]
    hypotheses.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    command = [sys.executable, "-m", "sacrebleu", str(reference), "-w", "12"]
    command += ["-i", str(hypotheses)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True)
    score = bleu.corpus_bleu(lines, read_lines(reference))
    assert score.sentences == 1000
    assert json.loads(printed.stdout)["score"] == pytest.approx(score.bleu, abs=1e-11)


def test_perfect_translation_scores_100() -> None:
    lines = ["Der Hund schläft im Garten.", "Hallo, schöne Welt!"]
    assert bleu.corpus_bleu(lines, lines).bleu == pytest.approx(100.0)


def test_case_counts() -> None:
    lines = ["Der Hund schläft im Garten."]
    assert bleu.corpus_bleu([lines[0].lower()], lines).bleu < 90


@pytest.mark.parametrize(
    ("hypotheses", "references", "message"),
    [([], [], "no sentence to score"), (["a"], ["a", "b"], "1 translations for 2")],
)
def test_nothing_or_unequal_numbers_to_score(
    hypotheses: list[str], references: list[str], message: str
) -> None:
    with pytest.raises(Mistake, match=message):
        bleu.corpus_bleu(hypotheses, references)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot read .*No such file"),
        (b"Stra\xdfe\n", "is not UTF-8 text"),
        (b"Nur einer.\n", "generated: 2 translations for 1 references"),
    ],
)
def test_bad_reference_is_named_and_nothing_is_written(
    files: dict[str, Path], tmp_path: Path, content: bytes | None, message: str
) -> None:
    reference, output = tmp_path / "other", tmp_path / "hypotheses"
    if content is not None:
        reference.write_bytes(content)
    arguments = ["--generated", files["generated"], "--reference", reference]
    with pytest.raises(Mistake, match=message):
        run(*arguments, "--output", output)
    assert not output.exists()


def test_unwritable_output_is_named(files: dict[str, Path]) -> None:
    arguments = ["--generated", files["generated"], "--reference", files["reference"]]
    with pytest.raises(Mistake, match=r"cannot write .*generated"):
        run(*arguments, "--json", files["generated"] / "bleu.json")
