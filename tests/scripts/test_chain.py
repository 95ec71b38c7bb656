"""From a corpus to a table through the scripts that a user runs, fairseq included."""

import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.scripts.chain import SAVES, TOKENS, UPDATES, VENV, Chain

FIELDS = {
    *("experiment", "row", "method", "seed", "command", "commit", "dirty", "created"),
    *("versions", "hardware", "data", "footprint", "lookup_values", "total_values"),
    *("updates", "train_seconds", "train_tokens_per_second", "valid", "test", "notes"),
}


@pytest.fixture(scope="module")
def chain(
    tmp_path_factory: pytest.TempPathFactory, repo_root: Path, warm_venv: Path
) -> Chain:
    chain = Chain(tmp_path_factory.mktemp("chain"), repo_root, warm_venv)
    chain.prepare()
    return chain


@pytest.mark.slow
def test_rows_are_trained_scored_and_recorded(chain: Chain) -> None:
    for row in ("lookup", "alone_binary"):
        output = chain.train(row)
        assert f"update {UPDATES}/{UPDATES}  validation loss" in output
        record = chain.record(row)
        own = {"inner_size"} if row == "alone_binary" else set()
        assert record.keys() == FIELDS | own
        assert record["row"] == row
        assert record["updates"] == UPDATES
        assert record["test"]["sentences"] == 21
        assert record["test"]["signature"].startswith(
            "nrefs:1|case:mixed|eff:no|tok:13a"
        )
        assert 0 <= record["test"]["bleu"] <= 100
        assert record["train_tokens_per_second"] > 0
        assert record["valid"]["loss"][-1][0] == UPDATES
        assert record["total_values"] > record["footprint"]["trained_values"]
        assert "tok:none" in record["test"]["compound_split"]["signature"]
        kept = chain.folder / "results/toy" / record["test"]["translations"]["file"]
        assert gzip.decompress(kept.read_bytes()).count(b"\n") == 21
        assert set(record["data"]) >= {"raw/test.de", "bpe/codes", "bin/dict.de.txt"}
    dictionary = (chain.data / "bin" / "dict.de.txt").read_text().splitlines()
    vocabulary = -(-(len(dictionary) + 4) // 8) * 8
    assert record["lookup_values"] == 128 * vocabulary
    command = record["command"]
    base, inner, own = (
        int(command[command.index(f"--alone-{name}-dim") + 1])
        for name in ("base", "inter", "own")
    )
    trained = base + inner * (base + 128) + own * (vocabulary + 128)
    assert record["footprint"]["trained_values"] == trained


@pytest.mark.slow
def test_rows_side_by_side_make_one_table(
    chain: Chain, tmp_path: Path, repo_root: Path, warm_venv: Path
) -> None:
    side_by_side = Chain(tmp_path, repo_root, warm_venv)
    shutil.copytree(chain.data, side_by_side.data)
    side_by_side.say_that_the_corpus_is_new()
    options = ["--rows", "lookup,low_rank", "--jobs", 2, "--max-update", 3]
    printed = side_by_side.run("scripts/reproduce.sh", "toy", *options)
    for row in ("lookup", "low_rank"):
        assert f"{row}: ==> recorded" in printed
        assert re.search(rf"^\| {row} +\|", printed, flags=re.MULTILINE)
    assert (tmp_path / "results/toy/validation_loss.png").stat().st_size > 0
    header = next(line for line in printed.splitlines() if line.startswith("| row"))
    for column in ("total values", "split BLEU", "against lookup"):
        assert column in header
    assert "    low_rank against lookup, seed 1: BLEU " in printed
    again = side_by_side.run("scripts/reproduce.sh", "toy", *options)
    assert again.count("is complete (3 updates)") == 2


@pytest.mark.slow
def test_score_equals_the_sacrebleu_command(chain: Chain) -> None:
    chain.train("lookup")
    record = chain.record("lookup")
    folder = chain.folder / "runs/toy/lookup--seed1/test"
    by_hand = folder / "by_hand.de"
    # What one types without this project.
    pipeline = (
        "grep ^H generate-test.txt | cut -c 3- | sort -n | cut -f 3"
        " | sed -E 's/(@@ )|(@@ ?$)//g' | sacremoses -q -l de detokenize >by_hand.de"
    )
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = os.environ | {"PATH": path}
    subprocess.run(["bash", "-c", pipeline], cwd=folder, env=environment, check=True)
    for hypotheses in (folder / "hypotheses.de", by_hand):
        reference = str(chain.data / "raw" / "test.de")
        command = [sys.executable, "-m", "sacrebleu", reference]
        command += ["-i", str(hypotheses), "--width", "10"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert json.loads(done.stdout)["score"] == pytest.approx(record["test"]["bleu"])
    assert by_hand.read_text() == (folder / "hypotheses.de").read_text()


@pytest.mark.slow
def test_table_plot_and_translations(chain: Chain, warm_venv: Path) -> None:
    chain.train("lookup")
    chain.record("lookup")
    results = chain.folder / "results" / "toy"
    commands: list[list[object]] = [
        ["table", results],
        ["plot", results],
        [
            "show-translations",
            "--data",
            chain.data,
            chain.folder / "runs/toy/lookup--seed1",
        ],
    ]
    printed = ""
    for words in commands:
        command = [f"{warm_venv}/bin/python", "-m", "alone_experiments"]
        command += map(str, words)
        printed += subprocess.run(
            command, capture_output=True, text=True, check=True
        ).stdout
    assert re.search(r"\| lookup +\| lookup +\|.*100.0%", printed)
    assert "reference  " in printed
    assert (results / "validation_loss.png").stat().st_size > 0


@pytest.mark.slow
def test_killed_training_carries_on_to_the_same_end(chain: Chain) -> None:
    chain.train("low_rank", updates=40)
    log = chain.folder / "runs/toy/low_rank--seed1/train.log"
    whole = [line for line in log.read_text().splitlines() if "| valid |" in line]
    shutil.rmtree(log.parent)
    flags = ["--max-update", 40, "--max-tokens", TOKENS, "--warmup-updates", 4, *SAVES]
    process = subprocess.Popen(
        chain.command("scripts/train.sh", "configs/toy/low_rank.flags", "--", *flags),
        # It is the project's own processes that are killed.
        env={**chain.environment, "ALONE_VENV": str(VENV)},
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
