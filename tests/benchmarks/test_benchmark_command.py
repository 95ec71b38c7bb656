"""scripts/benchmark.sh from end to end, at the smallest shapes."""

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SMALL = [
    *("--quick", "--device", "cpu", "--threads", "1", "--vocabulary", "64"),
    *("--inter-dim", "16", "--tokens", "64", "--length", "8", "--rounds", "1"),
    *("--run-rounds", "1", "--updates", "2", "--sentences", "4", "--batch-size", "2"),
    *("--growth", "64,128", "--growth-tokens", "16"),
    *("--sampling", "64", "--sampled-words", "16"),
    *("--variants", "lookup,published,alone_real"),
]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def environment(warm_venv: Path) -> dict[str, str]:
    return {**os.environ, "ALONE_VENV": str(warm_venv)}


@pytest.fixture
def run(repo_root: Path, tmp_path: Path, environment: dict[str, str]) -> Run:
    def call(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "scripts/benchmark.sh", "--output", str(tmp_path), *words],
            cwd=repo_root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    return call


@pytest.mark.slow
def test_all_parts(run: Run, tmp_path: Path) -> None:
    done = run(*SMALL)
    assert done.returncode == 0, done.stderr[-3000:]
    record = json.loads((tmp_path / "benchmark.json").read_text())
    figures: dict[str, list[dict[str, Any]]] = {}
    for figure in record["figures"]:
        assert figure["value"]["median"] > 0
        figures.setdefault(figure["part"], []).append(figure)
    assert {part: len(made) for part, made in figures.items()} == {
        "table": 12,
        "step": 6,
        "train": 6,
        "decode": 3,
        "generate": 3,
        "codes": 20,
    }
    for figure in figures["codes"]:
        by_sums = figure["variant"].endswith("sums")
        assert ("plain" in figure["ratios"]) == by_sums
    for figure in record["figures"]:
        if figure["variant"].startswith("alone"):
            assert figure["ratios"]["published"]["median"] > 0
    assert len(record["growth"]) == 6
    for row in record["growth"]:
        assert row["input_step"] > 0
        assert row["training_step"] > 0
        if row["variant"].startswith("alone"):
            for cost, ratios in row["ratios"].items():
                assert ratios["published"]["count"] > 0
                assert ("lookup" in ratios) == (cost != "table")
    assert len(record["sampling"]) == 8
    for row in record["sampling"]:
        assert row["seconds"] > 0
        assert row["peak_bytes"] > 0
    assert record["command"][:2] == ["bash", "scripts/benchmark.sh"]
    assert (tmp_path / "growth.png").read_bytes().startswith(b"\x89PNG")
    assert done.stdout.startswith((tmp_path / "benchmark.md").read_text()[:200])

    again = run(*SMALL)
    assert again.returncode == 0, again.stderr[-3000:]
    assert "[1/" not in again.stderr  # all was measured before
    repeated = json.loads((tmp_path / "benchmark.json").read_text())
    assert repeated["figures"] == record["figures"]

    other = run(*SMALL, "--seed", "2")
    assert other.returncode != 0
    assert "other settings" in other.stderr.strip().splitlines()[-1]


@pytest.mark.slow
def test_what_a_run_without_a_measurement_left_is_not_used(
    tmp_path: Path, run: Run
) -> None:
    work = tmp_path / "benchmark.work"
    (work / "corpus").mkdir(parents=True)  # of another vocabulary, it may be
    (work / "measurements.jsonl").write_text("{}\n")
    done = run(*SMALL, "--parts", "step", "--variants", "lookup")
    assert done.returncode == 0, done.stderr[-3000:]
    assert (work / "corpus" / "dict.source.txt").exists()


@pytest.mark.slow
def test_killed_run_is_carried_on(
    repo_root: Path, tmp_path: Path, run: Run, environment: dict[str, str]
) -> None:
    words = [*SMALL, "--parts", "table", "--variants", "lookup,alone_real"]
    command = ["bash", "scripts/benchmark.sh", "--output", str(tmp_path), *words]
    process = subprocess.Popen(
        command,
        cwd=repo_root,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "[3/" in line:
            process.terminate()
            break
    process.stderr.read()  # ends when all processes of the run have ended
    assert process.wait(timeout=60) == 128 + signal.SIGTERM
    assert not (tmp_path / "benchmark.json").exists()
    again = run(*words)
    assert again.returncode == 0, again.stderr[-3000:]
    assert "[3/" not in again.stderr
    assert json.loads((tmp_path / "benchmark.json").read_text())["figures"]


@pytest.mark.slow
def test_refusals_and_help(run: Run) -> None:
    refused = run("--parts", "tables")
    assert refused.returncode == 1
    assert (
        refused.stderr.strip()
        .splitlines()[-1]
        .startswith("alone-fairseq: error: --parts has 'tables'")
    )
    told = run("--help")
    assert told.returncode == 0
    for flag in ("--quick", "--parts", "--threads", "--max-gigabytes", "--force"):
        assert flag in told.stdout
    assert told.stderr == ""
