"""Table 3 of the paper: its rows, their sizes, its commands."""

from argparse import Namespace
from pathlib import Path

import pytest

from alone_experiments.codes.shapes import Shape
from alone_experiments.codes.sizes import size_of
from alone_experiments.mistakes import Mistake
from alone_experiments.params import method_footprint
from alone_experiments.sentiment.rows import SentimentRow, all_rows, sized
from alone_fairseq.embeddings import TableSize
from tests.scripts.stand_in_fairseq import Project


@pytest.fixture
def project(tmp_path: Path, repo_root: Path) -> Project:
    made = Project(tmp_path, repo_root)
    made.write("output/data/imdb/vectors.vec", "8000 300\n")
    made.write("v.vec", "")
    return made


def steps(project: Project, *flags: str) -> list[list[str]]:
    given = ("--from", str(project.folder), "--vectors", f"{project.folder}/v.vec")
    return project.words("reproduce.sh", "sentiment", *given, "--dry-run", *flags)


@pytest.mark.parametrize("shape", ["8x8", "64x8"])
@pytest.mark.parametrize("method", ["alone", "low_rank", "hashed"])
def test_rivals_take_as_many_bytes(method: str, shape: str, plugin: None) -> None:
    del plugin
    most = size_of(Shape.parse(shape), 8000, 300).bytes
    flags = sized(method, most, 8000, 300)
    options = {
        flag[2:].replace("-", "_"): int(value) if value.isdecimal() else value
        for flag, value in zip(flags[::2], flags[1::2], strict=True)
    }
    found = method_footprint(method, Namespace(**options), [TableSize(8000, 300)])
    # A rank more of the factorised table takes 33,200 bytes.
    assert most - 33_200 - 1000 < found.stored_bytes <= most


def test_all_rows_and_seeds(project: Project) -> None:
    found = steps(project)
    assert found[0][:3] == ["alone-fairseq", "sentiment", "prepare"]
    trainings = [step for step in found if step[1:3] == ["sentiment", "train"]]
    assert len(trainings) == 3 * (1 + 5 + 4 * 5)
    rows = {step[step.index("--row") + 1] for step in trainings}
    assert rows == {row.name for row in all_rows()}
    assert {"lookup", "codes_16x32", "random_codes_8x8", "alone_64x8"} <= rows


def test_the_chain_of_a_row(project: Project) -> None:
    less = ("--iterations", "7", "--fit-epochs", "8", "--train-reviews", "9")
    less += ("--codes-lr", "0.01", "--lr", "0.02")
    rows = ("--rows", "codes_8x8,random_codes_8x8,low_rank_8x8", "--seed", "2")
    _, codes, train, random, _, low_rank, last = steps(project, *rows, *less)
    folder = f"{project.folder}/output"
    made = f"{folder}/runs/sentiment/codes_8x8--seed2.pt"
    assert codes[1:3] == ["codes", "learn"]
    assert codes[3] == f"{folder}/data/imdb/vectors.vec"
    assert codes[4:] == [
        *("--hold-out", "0", "--codes", "8x8", "--seed", "2"),
        *("--iterations", "7", "--lr", "0.01"),
        *("--output", made),
    ]
    assert train[:4] == ["alone-fairseq", "sentiment", "train", made]
    assert train[train.index("--train-reviews") + 1] == "9"
    assert train[train.index("--lr") + 1] == "0.02"
    assert random[random.index("--codes-num-codebooks") + 1] == "8"
    assert random[random.index("--epochs") + 1] == "8"
    assert "--lr" not in random
    assert low_rank[low_rank.index("--words") + 1] == "8000"
    compared = last[last.index("--compared-with") + 1]
    assert compared == "codes_8x8 (codes of its size)"


def test_names_of_rows() -> None:
    for row in all_rows():
        assert SentimentRow.parse(row.name) == row


@pytest.mark.parametrize("name", ["codes", "codes_8", "codes_8x1", "lookup_8x8x8", ""])
def test_rows_that_are_none(name: str) -> None:
    with pytest.raises(Mistake, match=f"no row {name} in the experiment on sentiment"):
        SentimentRow.parse(name)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--rows", "lookup_8x8"], "lookup has no size to choose"),
        (["--rows", "guess_8x8"], "guess"),
        (["--vectors", "none.vec"], "--vectors: there is no none.vec"),
    ],
)
def test_bad_arguments(project: Project, flags: list[str], message: str) -> None:
    given = ("--from", str(project.folder), "--vectors", f"{project.folder}/v.vec")
    words = ("reproduce.sh", "sentiment", *given, *flags, "--dry-run")
    assert message in project.error(*words)
