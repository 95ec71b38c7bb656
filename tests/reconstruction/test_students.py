"""Students from vectors to the paper's two tables, by the command."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from alone_experiments.word_vectors.analogy import SEMANTIC
from tests.scripts.chain import VENV

Run = Callable[..., subprocess.CompletedProcess[str]]
STEMS = ("walk", "talk", "jump", "cook", "wash", "kick")
WORDS = [f"{stem}{end}" for stem in STEMS for end in ("", "s", "ed")]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {
        **os.environ,
        "ALONE_OUTPUT": str(tmp_path / "output"),
        "ALONE_VENV": str(VENV),
        "OMP_NUM_THREADS": "1",
    }


@pytest.fixture
def run(repo_root: Path, tmp_path: Path, environment: dict[str, str]) -> Run:
    vectors = np.random.default_rng(1).normal(size=(len(WORDS), 8)).round(4)
    lines = [
        f"{w} {' '.join(map(str, v))}" for w, v in zip(WORDS, vectors, strict=True)
    ]
    (tmp_path / "v.txt").write_text("\n".join(lines) + "\n")
    (tmp_path / "pairs.txt").write_text("walk walks 9\ntalk jump 2\ncook washed 5\n")
    asked = "walk walks talk talks\njump jumped cook cooked\nwalk walks bark barks\n"
    (tmp_path / "msr.txt").write_text(asked)
    sections = "".join(f": {name}\n{asked}" for name in (*SEMANTIC, "gram1-x"))
    (tmp_path / "google.txt").write_text(sections)
    given = ["--vectors", f"{tmp_path}/v.txt", "--pairs", f"{tmp_path}/pairs.txt"]
    given += ["--syntactic", f"{tmp_path}/msr.txt"]
    given += [
        "--semantic",
        f"{tmp_path}/google.txt",
        "--seed",
        "1",
        "--words",
        str(len(WORDS)),
    ]

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "scripts/reproduce.sh", "students", *given, *words],
            cwd=repo_root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    return call


@pytest.mark.slow
def test_all_tables(
    run: Run, environment: dict[str, str], tmp_path: Path, warm_venv: Path
) -> None:
    environment["ALONE_VENV"] = str(warm_venv)
    rows = ["--rows", "similarity_cosine,analogy_random,analogy_l1,unseen_l1"]
    less = [*rows, "--epochs", "18", "--look-interval", "9", "--analogy-epochs", "15"]
    done = run(*less)
    assert done.returncode == 0, done.stderr[-3000:]
    results = tmp_path / "output" / "results" / "students"
    records = {
        file.stem: json.loads(file.read_text()) for file in results.glob("*.json")
    }
    assert set(records) == {
        "similarity_cosine--seed1",
        "analogy_random--seed1",
        "analogy_l1--seed1",
        "unseen_l1--seed1",
    }
    looks = records["similarity_cosine--seed1"]["looks"]
    assert [look["epoch"] for look in looks] == [0, 9, 18]
    random, fitted = (records[f"analogy_{name}--seed1"] for name in ("random", "l1"))
    assert random["settings"]["epochs"] == 0
    for record in (random, fitted):
        # Spelled: a word without a vector is asked for too.
        assert record["analogies"]["syntactic"]["covered"] == 3
        assert record["analogies"]["semantic"]["questions"] == 15
        # Asked as the given vectors are.
        known = record["analogies_of_known_words"]["syntactic"]
        given = random["analogies_of_given"]["syntactic"]
        assert known["covered"] == given["covered"] == 2
        assert known["candidates"] == given["candidates"] == len(WORDS)
    unseen = records["unseen_l1--seed1"]
    assert unseen["held_out"]["words"] == len(WORDS) // 5
    assert unseen["settings"]["epochs"] == 18
    assert done.stdout.count("given vectors") >= 3
    assert "| none (mean of the fitted vectors) |" in done.stdout
    again = run(*less)
    assert again.returncode == 0
    assert again.stderr.count("is done already") == 4


def test_wrong_rows_and_files_are_refused(run: Run) -> None:
    refused = run("--rows", "similarity_l3", "--dry-run")
    assert refused.returncode == 1
    assert "no row similarity_l3; rows are similarity_l1" in refused.stderr
    missing = run("--vectors", "nowhere.txt")
    assert missing.returncode == 1
    assert "--vectors: no file nowhere.txt" in missing.stderr


def test_commands_of_all_rows(run: Run) -> None:
    printed = run("--dry-run")
    assert printed.returncode == 0, printed.stderr
    fits = [line for line in printed.stdout.splitlines() if " reconstruct " in line]
    assert len(fits) == 16
    assert sum("--epochs 50" in fit for fit in fits) == 10
    assert sum("--hold-out" in fit for fit in fits) == 5
    assert sum("--characters-highway --epochs 10" in fit for fit in fits) == 5
    assert sum("--epochs 0" in fit for fit in fits) == 1
