"""F1 of words by frequency."""

import argparse
import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alone_experiments.evaluation import word_f1_command
from alone_experiments.evaluation.word_f1 import (
    BINS,
    bin_of,
    group_sentences,
    names_of,
    score_bins,
)
from alone_experiments.mistakes import Mistake
from alone_experiments.results import plot_word_f1
from alone_experiments.results.line_styles import KNOWN
from alone_experiments.results.plot import draw
from alone_experiments.results.result_files import read_records
from alone_experiments.results.table import make_table_of

TEXTS = st.lists(st.lists(st.sampled_from("abcde"), max_size=6), min_size=3, max_size=3)
COUNTS = {"a": 12, "b": 3, "c": 1, "d": 1}


def test_bins_are_those_of_compare_mt() -> None:
    names = names_of(BINS)
    assert names == ["0", "1", "2", "3", "4", "5-9", "10-99", "100-999", "1000+"]
    found = [names[bin_of(count, BINS)] for count in (0, 1, 4, 5, 9, 10, 999, 1000)]
    assert found == ["0", "1", "4", "5-9", "5-9", "10-99", "100-999", "1000+"]
    assert names_of([10]) == ["0-9", "10+"]


@settings(max_examples=30)
@given(TEXTS, TEXTS)
def test_a_word_is_right_as_often_as_the_reference_has_it(
    translations: list[list[str]], references: list[list[str]]
) -> None:
    """As compare-mt's documentation has it, place after place."""
    bins = (1, 5)
    totals = [[0, 0, 0] for _ in range(3)]
    for said, wanted in zip(translations, references, strict=True):
        left = list(wanted)
        for word in wanted:
            totals[bin_of(COUNTS.get(word, 0), bins)][0] += 1
        for word in said:
            place = totals[bin_of(COUNTS.get(word, 0), bins)]
            place[1] += 1
            if word in left:
                left.remove(word)
                place[2] += 1
    for score, (reference, translation, right) in zip(
        score_bins(translations, references, COUNTS, bins), totals, strict=True
    ):
        assert (score.reference, score.translation, score.right) == (
            *(reference, translation, right),
        )
        if right:
            precision, recall = right / translation, right / reference
            expected = 2 * precision * recall / (precision + recall)
            assert score.f1 == pytest.approx(expected)
        else:
            assert score.f1 == 0


def test_a_sentence_belongs_to_its_rarest_word() -> None:
    references = [["a"], ["a", "b"], [], ["a", "x"], ["c", "b"]]
    assert group_sentences(references, COUNTS, (1, 3, 10)) == [[3], [4], [1], [0]]


def run(*words: object) -> None:
    parser = argparse.ArgumentParser()
    word_f1_command.add_arguments(parser)
    word_f1_command.run(parser.parse_args([str(word) for word in words]))


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """A reference, two systems, and training text."""
    (tmp_path / "reference").write_text("the cat sat.\nthe dog\n" * 40)
    (tmp_path / "good").write_text("the cat sat.\nthe dog\n" * 40)
    poor = "cat the sat.\nthe the\n" * 40
    (tmp_path / "poor.gz").write_bytes(gzip.compress(poor.encode()))
    (tmp_path / "training").write_text("the cat. the . the\nthe the cat\n")
    return [tmp_path / name for name in ("reference", "good", "poor.gz", "training")]


def test_the_command(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    reference, good, poor, training = files
    made = reference.with_name("scores.json")
    flags = ("--training", training, "--bins", "1,5", "--json", made)
    run(reference, good, poor, *flags, "--plot", reference.with_name("f1.png"))
    printed = capsys.readouterr().out
    lines = [line.replace("|", " ").split() for line in printed.splitlines()]
    # Never seen: sat, dog; once to four times: cat and the full stop; five times: the.
    assert ["0", "80", "100.00", "66.67"] in lines
    assert ["1-4", "80", "100.00", "100.00"] in lines
    assert ["5+", "80", "100.00", "80.00"] in lines
    scores = json.loads(made.read_text())
    assert scores["bins"] == ["0", "1-4", "5+"]
    hundred = pytest.approx(100.0)
    assert scores["systems"]["good"]["bleu"] == [hundred, None, None, hundred]
    assert scores["words"] == [80, 80, 80, 240]
    assert scores["sentences"] == [80, 0, 0, 80]
    precise, recalled = 200 / 240, 200 / 240
    assert scores["systems"]["poor"]["f1"][-1] == pytest.approx(
        200 * precise * recalled / (precise + recalled)
    )
    assert "tok:13a" in scores["signature"]
    assert reference.with_name("f1.png").read_bytes().startswith(b"\x89PNG")


def test_seeds_become_means(
    files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    reference, good, poor, training = files
    folder = reference.with_name("records")
    folder.mkdir()
    one, other = folder / "x--seed1.en", folder / "x--seed2.en.gz"
    good.rename(one)
    poor.rename(other)
    made = folder / "test.json"
    run(reference, one, other, "--training", training, "--bins", "1,5", "--json", made)
    printed = capsys.readouterr().out
    assert "x (2 seeds)" in printed
    # Words never seen: all right, and two thirds of them.
    assert f"83.33 ± {(1 / 3) / 2**0.5 * 100:.2f}" in printed
    table = make_table_of(folder)
    assert printed.strip() in table
    assert f"SacreBLEU: {json.loads(made.read_text())['signature']}" in table
    (picture,) = draw(read_records(folder), folder)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_systems_of_one_name(
    files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    reference, good, poor, training = files
    others = [reference.with_name(name) for name in ("a", "b")]
    for folder, system in zip(others, (good, poor), strict=True):
        folder.mkdir()
        system.rename(folder / f"words{system.suffix}")
    one, other = others[0] / "words", others[1] / "words.gz"
    run(reference, one, other, "--training", training, "--bins", "1,5")
    lines = [x.replace("|", " ").split() for x in capsys.readouterr().out.splitlines()]
    assert ["0", "80", "100.00", "66.67"] in lines
    made = reference.with_name("record.json")
    run(reference, one, other, "--training", training, "--json", made)
    record = json.loads(made.read_text())
    # No checksum takes the place of another's.
    assert len(record["data"]) == 4
    assert {*record["systems"]} <= {*record["data"]}
    with pytest.raises(Mistake, match=r"words\.gz: is given twice"):
        run(reference, other, other, "--training", training)


def test_seeds_stay_together_beside_a_row_of_one_name(
    files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    reference, good, poor, training = files
    one, other = (reference.with_name(name) for name in ("one", "other"))
    for folder in (one, other):
        folder.mkdir()
    for seed in (1, 2):
        (one / f"x_0.5--seed{seed}.de.gz").write_bytes(poor.read_bytes())
    good.rename(other / "x_0.5--seed1.de")
    systems = [*sorted(one.iterdir()), *other.iterdir()]
    run(reference, *systems, "--training", training, "--bins", "1,5")
    head = capsys.readouterr().out.splitlines()[0]
    assert f"| {one / 'x_0.5'} (2 seeds) | {other / 'x_0.5'} |" in head


@pytest.mark.parametrize(
    "rows",
    [
        ["lookup", "dense", "bilinear", *(f"joint_{n}" for n in range(9))],
        ["low_rank_a", "low_rank_b", "dense", "bilinear", "alone_real"],
        [*KNOWN, "dense", "bilinear"],
    ],
)
def test_every_line_has_a_look_of_its_own(rows: list[str]) -> None:
    looks = plot_word_f1.looks_of(rows)
    assert len({tuple(map(str, look.values())) for look in looks.values()}) == len(rows)


def test_files_of_one_name_and_outputs_of_one_seed_are_apart(
    files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    reference, good, poor, training = files
    folder = reference.with_name("more")
    folder.mkdir()
    training = training.rename(folder / "reference")
    one = good.rename(folder / "x--seed1.beam4.txt")
    other = poor.rename(folder / "x--seed1.beam8.txt.gz")
    made = folder / "record.json"
    run(reference, one, other, "--training", training, "--bins", "1,5", "--json", made)
    printed = capsys.readouterr().out
    assert "x.beam4" in printed
    assert "x.beam8" in printed
    assert "seeds" not in printed
    assert len(json.loads(made.read_text())["data"]) == 4


def test_bins_of_few_sentences_have_no_bleu(
    files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    reference, good, _, training = files
    for file in (reference, good):
        file.write_text("the cat sat.\nthe dog\n")
    made = reference.with_name("record.json")
    run(reference, good, "--training", training, "--bins", "1,5", "--json", made)
    assert "all" in capsys.readouterr().out
    record = json.loads(made.read_text())
    assert record["systems"]["good"]["bleu"] == [None, None, None, pytest.approx(100)]
    assert record["systems"]["good"]["f1"][-1] == pytest.approx(100.0)


def test_bad_input(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    reference, good, _, training = files
    with pytest.raises(SystemExit):
        run(reference, good, "--training", training, "--bins", "5,1")
    assert "--bins: must ascend, such as 1,10,100" in capsys.readouterr().err
    with pytest.raises(Mistake, match=f"{training}: has 2 lines, and the reference 80"):
        run(reference, training, "--training", training)
    broken = reference.with_name("broken.gz")
    broken.write_bytes(b"\x1f\x8bno")
    with pytest.raises(Mistake, match=f"{broken} is damaged"):
        run(reference, broken, "--training", training)
    empty = reference.with_name("empty")
    empty.write_text("")
    with pytest.raises(Mistake, match="empty: has no words to count"):
        run(reference, good, "--training", empty)
    with pytest.raises(Mistake, match="empty: is empty"):
        run(empty, good, "--training", training)
