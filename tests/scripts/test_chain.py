"""From a corpus to a table through the scripts that a user runs, fairseq included."""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

FIELDS = {
    *("experiment", "row", "method", "seed", "command", "commit", "dirty", "created"),
    *("versions", "hardware", "data", "footprint", "lookup_values", "updates"),
    *("train_seconds", "train_tokens_per_second", "valid", "test", "notes"),
}
UPDATES = 12
TOKENS = 1500  # several epochs in 40 updates
SAVES = ("--save-interval-updates", 10)


class Chain:
    """The project's scripts, with a small corpus and a folder of its own."""

    def __init__(self, folder: Path, repo_root: Path) -> None:
        self.folder, self.root = folder, repo_root
        self.data = folder / "data" / "toy"
        self.environment = {
            **os.environ,
            "ALONE_OUTPUT": str(folder),
            "ALONE_VENV": str(Path(sys.executable).parent.parent),
            "PYTHONPATH": str(repo_root),
        }

    def command(self, script: str, *arguments: object) -> list[str]:
        return ["bash", str(self.root / script), *map(str, arguments)]

    def run(self, script: str, *arguments: object) -> str:
        done = subprocess.run(
            self.command(script, *arguments),
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    def prepare(self) -> None:
        """Prepare the first sentences of the toy corpus, an odd number of them."""
        generator = self.root / "data-prep" / "toy_en_de.py"
        whole = self.folder / "whole"
        subprocess.run([sys.executable, str(generator), str(whole)], check=True)
        (self.data / "raw").mkdir(parents=True)
        for file in whole.iterdir():
            lines = file.read_text().splitlines(keepends=True)
            count = 501 if file.stem == "train" else 21
            (self.data / "raw" / file.name).write_text("".join(lines[:count]))
        shutil.rmtree(whole)
        prepare = "data-prep/prepare_bpe.sh"
        self.run(prepare, "--output", self.data, "--merges", "300")

    def say_that_the_corpus_is_new(self) -> None:
        """Mark the corpus as data-prep/toy.sh marks its own, so that it is kept."""
        parts = [self.root / "data-prep/toy_en_de.py"]
        parts += sorted((self.root / "data-prep/toy_language").glob("*.py"))
        generator = hashlib.sha256(b"".join(part.read_bytes() for part in parts))
        (self.data / "generator").write_text(f"{generator.hexdigest()}  -\n")

    def train(self, row: str, updates: int = UPDATES) -> str:
        flags = ["--max-update", updates, "--max-tokens", TOKENS, "--warmup-updates", 4]
        flags += SAVES
        return self.run("scripts/train.sh", f"configs/toy/{row}.flags", "--", *flags)

    def record(self, row: str) -> dict[str, Any]:
        self.run("scripts/evaluate.sh", f"configs/toy/{row}.flags")
        file = self.folder / "results" / "toy" / f"{row}--seed1.json"
        found: dict[str, Any] = json.loads(file.read_text())
        return found


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory, repo_root: Path) -> Chain:
    chain = Chain(tmp_path_factory.mktemp("chain"), repo_root)
    chain.prepare()
    return chain


@pytest.mark.slow
def test_rows_are_trained_scored_and_recorded(chain: Chain) -> None:
    for row in ("lookup", "alone_binary"):
        output = chain.train(row)
        assert f"update {UPDATES}/{UPDATES}  validation loss" in output
        record = chain.record(row)
        assert record.keys() == FIELDS
        assert record["row"] == row
        assert record["updates"] == UPDATES
        assert record["test"]["sentences"] == 21
        assert record["test"]["signature"].startswith(
            "nrefs:1|case:mixed|eff:no|tok:13a"
        )
        assert 0 <= record["test"]["bleu"] <= 100
        assert record["train_tokens_per_second"] > 0
        assert record["valid"]["loss"][-1][0] == UPDATES
        assert set(record["data"]) >= {"raw/test.de", "bpe/codes", "bin/dict.de.txt"}
    dictionary = (chain.data / "bin" / "dict.de.txt").read_text().splitlines()
    vocabulary = -(-(len(dictionary) + 4) // 8) * 8
    assert record["lookup_values"] == 128 * vocabulary
    command = record["command"]
    base, inner = (
        int(command[command.index(f"--alone-{name}-dim") + 1])
        for name in ("base", "inter")
    )
    trained = base + inner * (base + 128)
    assert record["footprint"]["trained_values"] == trained


@pytest.mark.slow
def test_rows_side_by_side_make_one_table(
    chain: Chain, tmp_path: Path, repo_root: Path
) -> None:
    side_by_side = Chain(tmp_path, repo_root)
    shutil.copytree(chain.data, side_by_side.data)
    side_by_side.say_that_the_corpus_is_new()
    options = ["--rows", "lookup,low_rank", "--jobs", 2, "--max-update", 3]
    printed = side_by_side.run("scripts/reproduce.sh", "toy", *options)
    for row in ("lookup", "low_rank"):
        assert f"{row}: ==> recorded" in printed
        assert re.search(rf"^\| {row} +\|", printed, flags=re.MULTILINE)
    assert (tmp_path / "results/toy/validation_loss.png").stat().st_size > 0
    again = side_by_side.run("scripts/reproduce.sh", "toy", *options)
    assert again.count("is complete (3 updates)") == 2


@pytest.mark.slow
def test_score_equals_the_sacrebleu_command(chain: Chain) -> None:
    chain.train("lookup")
    record = chain.record("lookup")
    hypotheses = chain.folder / "runs/toy/lookup--seed1/test/hypotheses.de"
    command = [sys.executable, "-m", "sacrebleu", str(chain.data / "raw" / "test.de")]
    command += ["-i", str(hypotheses), "--width", "10"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["score"] == pytest.approx(record["test"]["bleu"])


@pytest.mark.slow
def test_table_plot_and_translations(chain: Chain) -> None:
    chain.train("lookup")
    chain.record("lookup")
    results = chain.folder / "results" / "toy"
    scripts = chain.root / "scripts"
    commands: list[list[object]] = [
        ["make_table.py", results],
        ["plot_loss.py", results, results / "loss.png"],
        [
            "show_translations.py",
            "--data",
            chain.data,
            chain.folder / "runs/toy/lookup--seed1",
        ],
    ]
    printed = ""
    for script, *arguments in commands:
        command = [sys.executable, str(scripts / str(script)), *map(str, arguments)]
        printed += subprocess.run(
            command, capture_output=True, text=True, check=True
        ).stdout
    assert re.search(r"\| lookup +\| lookup +\|.*100.0%", printed)
    assert "reference  " in printed
    assert (results / "loss.png").stat().st_size > 0


@pytest.mark.slow
def test_killed_training_carries_on_to_the_same_end(chain: Chain) -> None:
    chain.train("low_rank", updates=40)
    log = chain.folder / "runs/toy/low_rank--seed1/train.log"
    whole = [line for line in log.read_text().splitlines() if "| valid |" in line]
    shutil.rmtree(log.parent)
    flags = ["--max-update", 40, "--max-tokens", TOKENS, "--warmup-updates", 4, *SAVES]
    process = subprocess.Popen(
        chain.command("scripts/train.sh", "configs/toy/low_rank.flags", "--", *flags),
        env=chain.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    end = time.monotonic() + 120
    while not (log.exists() and "Saved checkpoint" in log.read_text()):
        assert time.monotonic() < end
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    chain.train("low_rank", updates=40)
    text = log.read_text()
    assert text.count("training on 1 devices") == 2, "it was not killed in time"
    carried_on = [line for line in text.splitlines() if "| valid |" in line]
    loss = [
        re.findall(r'"valid_loss": "([^"]*)"', lines[-1])
        for lines in (whole, carried_on)
    ]
    assert loss[0] == loss[1]
