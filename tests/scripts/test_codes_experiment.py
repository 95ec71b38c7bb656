"""The experiment on codes in translation: look-up, codes of its table, once again."""

import json
import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from alone_experiments.codes.shapes import Shape
from alone_experiments.codes.sizes import size_of
from alone_experiments.reconstruction import saved
from alone_experiments.training.experiment import find_row, rows_of
from tests.corpora.tiny_multi30k import Corpus
from tests.scripts.stand_in_fairseq import Project

FOLDER = Path(__file__).resolve().parents[2] / "configs" / "multi30k_codes"
LESS = {
    "codes": ["--iterations", "40", "--check-interval", "20"],
    "reconstruct": ["--epochs", "30", "--batch-size", "8"],
}
# To translate with one of the models will do; test_chain.py does it with look-up.
TRANSLATED = "codes_32x16"
WORDS, DIM = 9800, 128


def test_what_others_start_from_is_trained_first(project: Project) -> None:
    rows = ("--rows", "codes_32x16,codes_32x16_random", "--seed", "3", "--dry-run")
    steps = project.words("reproduce.sh", "multi30k_codes", *rows)
    trained = [Path(step[2]).stem for step in steps if "train.sh" in step[1]]
    assert trained == ["lookup", "codes_32x16_random", "codes_32x16"]
    runs = f"{project.folder}/output/runs/multi30k_codes"
    learn = next(step for step in steps if step[1] == "codes")
    assert learn[2:7] == ["learn", "--codes", "32x16", "--hold-out", "0"]
    assert learn[7] == f"{runs}/lookup--seed3/averaged.pt"
    assert f"{runs}/codes_32x16--seed3/start.pt" in learn
    assert steps[0] == ["bash", "data-prep/multi30k.sh"]


def test_sizes_of_rivals_are_the_nearest() -> None:
    """In bytes: values of four, and packed codes."""
    for name in rows_of(FOLDER):
        row = find_row(FOLDER / f"{name}.flags")
        kind, _, shape = name.partition("_as_")
        if not shape:
            continue
        flags = row.flags()
        wanted = size_of(Shape.parse(shape), WORDS, DIM).bytes
        if kind == "low_rank":
            step = 4 * (WORDS + DIM)
            size = step * int(flags[flags.index("--low-rank-dim") + 1])
        else:
            base = int(flags[flags.index("--alone-base-dim") + 1])
            step = 4 * (base + DIM)
            size = step * int(flags[flags.index("--alone-inter-dim") + 1]) + 4 * base
        assert abs(size - wanted) <= step / 2
        # It is fitted by the flags that it is trained with.
        start = row.start()
        assert start is not None
        options = [flag for flag in start.command if flag.startswith("--")]
        for flag in set(options) - {"--embedding-method", "--alone-seed"}:
            mine, theirs = (
                words[words.index(flag) + 1] for words in (start.command, flags)
            )
            assert mine == theirs


def test_a_row_without_its_start_is_refused(project: Project) -> None:
    project.write(
        "configs/exp/row.flags",
        "# Starts from other: codes learn\n--arch transformer_lookup_toy\n",
    )
    config = f"{project.configs}/row.flags"
    told = project.error("train.sh", config)
    assert "no start.pt in" in told
    assert "scripts/reproduce.sh exp --rows row" in told


@pytest.fixture
def reproduce(
    tmp_path: Path, repo_root: Path, warm_venv: Path
) -> Callable[[str], Path]:
    """A function that does what the experiment prints, but less of it."""
    output = tmp_path / "output"
    corpus = Corpus(tmp_path / "corpus", repo_root)
    corpus.venv = warm_venv
    corpus.output = output / "data" / "multi30k"
    status, errors = corpus.run("--from", corpus.given)
    assert status == 0, errors
    environment = {
        **os.environ,
        "ALONE_OUTPUT": str(output),
        "ALONE_VENV": str(warm_venv),
        "PATH": f"{warm_venv}/bin:{os.environ['PATH']}",
        "PYTHONPATH": str(repo_root),
        "OMP_NUM_THREADS": "1",
    }

    def run(words: list[str]) -> str:
        done = subprocess.run(
            words,
            cwd=repo_root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def do(rows: str) -> Path:
        words = ["bash", "scripts/reproduce.sh", "multi30k_codes", "--dry-run"]
        printed = run([*words, "--rows", rows, "--max-update", "6"])
        for step in map(shlex.split, printed.splitlines()[1:]):
            less = LESS.get(step[1], [])
            if "evaluate.sh" in step[1] and Path(step[2]).stem != TRANSLATED:
                if Path(step[2]).stem != "lookup":
                    continue
                # Its first part makes what the others start from.
                parts = run([*step, "--dry-run"]).splitlines()
                step = shlex.split(parts[0])
                assert step[:2] == ["alone-fairseq", "average"]
            if step[1].endswith("train.sh"):
                less = ["--save-interval-updates", "2", "--max-tokens", "400"]
                less += ["--update-freq", "1", "--warmup-updates", "2"]
            run([*step, *less])
        return output

    return do


@pytest.mark.slow
def test_codes_of_a_trained_table_are_trained_again(
    reproduce: Callable[[str], Path],
) -> None:
    rows = "codes_32x16,codes_32x16_whole,alone_real_as_32x16"
    output = reproduce(rows)
    runs = output / "runs" / "multi30k_codes"
    file = output / "results" / "multi30k_codes" / f"{TRANSLATED}--seed1.json"
    record = json.loads(file.read_text())
    assert record["updates"] == 6
    assert record["start"]["settings"]["codes"] == "32x16"
    assert record["start"]["losses"]["half_sum_of_squares"]["all_words"] > 0
    words = record["lookup_values"] // DIM
    assert record["packed_bytes"] == size_of(Shape(32, 16), words, DIM).bytes
    for row in ("codes_32x16", "codes_32x16_whole"):
        folder = runs / f"{row}--seed1"
        learned = saved.load(folder / "start.pt").embedding
        state = torch.load(folder / "checkpoint_last.pt", weights_only=True)["model"]
        name = "encoder.embed_tokens"
        stored = state[f"{name}.codes_version"]
        assert torch.equal(stored, learned.state_dict()["codes_version"])
        moved = state[f"{name}.codewords"] - learned.state_dict()["codewords"]
        assert 0 < moved.abs().max() < 0.1
    for row in rows.split(",")[1:]:
        folder = runs / f"{row}--seed1"
        log = (folder / "train.log").read_text()
        assert "start.model.pt" in log
        begun = torch.load(folder / "start.model.pt", weights_only=True)["model"]
        ended = torch.load(folder / "checkpoint_last.pt", weights_only=True)["model"]
        name = "encoder.layers.0.fc1.weight"
        assert (begun[name] - ended[name]).abs().max() < 0.1
