"""Taggers from a treebank and vectors to the paper's table, by the command."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from alone_experiments import cli
from alone_experiments.mistakes import Mistake

Run = Callable[..., subprocess.CompletedProcess[str]]
SENTENCES = ["the DET dog NOUN barks VERB", "dogs NOUN bark VERB"]


@pytest.fixture
def given(tmp_path: Path) -> list[str]:
    """A treebank and vectors, as the command takes them."""
    treebank = tmp_path / "treebank"
    treebank.mkdir()
    text = ""
    for sentence in SENTENCES:
        words = sentence.split()
        for number, (word, tag) in enumerate(
            zip(words[::2], words[1::2], strict=True), 1
        ):
            text += f"{number}\t{word}\t_\t{tag}\t{tag[0]}" + "\t_" * 5 + "\n"
        text += "\n"
    for part in ("train", "dev", "test"):
        (treebank / f"x-{part}.conllu").write_text(text)
    (tmp_path / "v.txt").write_text("dog 1 0 2\ndogs 1 0 1\ncat 0 1 0.5\n")
    return ["--treebank", str(treebank), "--vectors", f"{tmp_path}/v.txt"]


@pytest.fixture
def run(repo_root: Path, tmp_path: Path, given: list[str], warm_venv: Path) -> Run:
    environment = {
        **os.environ,
        "ALONE_OUTPUT": str(tmp_path / "output"),
        "ALONE_VENV": str(warm_venv),
        "OMP_NUM_THREADS": "1",
    }

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "scripts/reproduce.sh", "tagging", *given, *words],
            cwd=repo_root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    return call


@pytest.mark.slow
def test_the_table(run: Run, tmp_path: Path) -> None:
    rows = ["--rows", "full_emb,char_cosine"]
    less = [*rows, "--lr", "0.01,0.02", "--dropout", "0.1", "--seed", "1,2"]
    small = ["--epochs", "2", "--hidden", "4", "--student-epochs", "90"]
    done = run(*less, *small, "--notes", "small", "--jobs", "2")
    assert done.returncode == 0, done.stderr[-3000:]
    results = tmp_path / "output" / "results" / "tagging"
    records = {
        file.stem: json.loads(file.read_text()) for file in results.glob("*.json")
    }
    assert sorted(records) == ["char_cosine--upos", "full_emb--upos"]
    for record in records.values():
        assert len(record["tried"]) == len(record["test"]) == 2
        assert record["notes"] == "small"
        assert {"command", "commit", "versions", "hardware"} <= record.keys()
    values = {name: record["footprint"] for name, record in records.items()}
    assert values["full_emb--upos"]["table"]["trained_values"] == 3 * (1 + 5 + 1)
    assert "table" not in values["char_cosine--upos"]
    # A student brings the characters of its own words, and the size of their vectors.
    assert records["char_cosine--upos"]["rows"]["characters"] > 0
    assert done.stdout.count("| upos |") == 2
    again = run(*less, *small)
    assert again.returncode == 0
    assert again.stdout.count("json: is done already") == 6  # each training
    other = run(*less, *small, "--hidden", "5")
    assert other.returncode == 1
    assert "is of other settings (hidden: 4, now 5)" in other.stderr


@pytest.fixture
def dry_run(
    given: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., list[str]]:
    """A function from flags to the lines that a dry run prints."""
    monkeypatch.setenv("ALONE_OUTPUT", str(tmp_path / "output"))

    def lines(*words: str) -> list[str]:
        cli.main(["reproduce-tagging", *given, "--dry-run", *words])
        return capsys.readouterr().out.splitlines()

    return lines


def test_commands_of_all_rows(dry_run: Callable[..., list[str]]) -> None:
    lines = dry_run("--lr", "0.001", "--seed", "1,2", "--tags", "xpos")
    taggers = [line for line in lines if " tag " in line]
    assert len(taggers) == 13
    for tagger in taggers:
        assert "--tags xpos" in tagger
        assert "--lr 0.001 --dropout 0.1,0.2,0.3,0.4,0.5 --seed 1,2" in tagger
    assert not [line for line in lines if "rm -f" in line]
    assert sum("--student" in tagger for tagger in taggers) == 6
    assert sum("--dim 3" in tagger for tagger in taggers) == 7
    fits = [line for line in lines if " reconstruct " in line]
    assert "--epochs 0 " in fits[0]
    assert "student_random.pt" in fits[0]
    assert [fit.split("--distance ")[1].split()[0] for fit in fits[1:]] == [
        *("l1", "euclidean", "squared", "linf", "cosine")
    ]


def test_force_removes_records_first(dry_run: Callable[..., list[str]]) -> None:
    removed, fit, tag = dry_run("--rows", "char_l1", "--force")[-5:-2]
    assert removed.startswith("rm -f ")
    assert removed.endswith("char_l1--upos.json")
    assert all("--force" in command for command in (fit, tag))


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--rows", "char_l3"], "--rows: no row char_l3; rows are full, "),
        (["--rows", "char,full,char"], "--rows names one twice"),
        (["--seed", "1,1"], "--seed names one twice"),
        (["--treebank", "nowhere"], "--treebank: no folder nowhere"),
        (["--vectors", "nowhere.txt"], "--vectors: no file nowhere.txt"),
    ],
)
def test_wrong_rows_and_files_are_refused(
    words: list[str], line: str, tmp_path: Path
) -> None:
    (tmp_path / "v.txt").write_text("dog 1 0 2\n")
    given = ["--treebank", str(tmp_path), "--vectors", f"{tmp_path}/v.txt"]
    with pytest.raises(Mistake, match=line):
        cli.main(["reproduce-tagging", *given, *words])
