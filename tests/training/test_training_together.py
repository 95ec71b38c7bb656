"""Several processes train a row on real text, through the script that a user runs."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.scripts.chain import Chain

pytestmark = pytest.mark.slow

LINES = {"train": ("train", 400), "valid": ("val", 40), "test": ("test_2016_flickr", 9)}
UPDATES = 30
SAVED = re.compile(r"Saved checkpoint .*@ (\d+) updates")
# The batch of the row is 512 tokens: two processes take 256 each, one does so twice.
FLAGS = ["--max-tokens", 256, "--", "--save-interval-updates", 10, "--log-interval", 1]


@pytest.fixture
def chain(
    tmp_path: Path,
    repo_root: Path,
    shared_data: Callable[[str], Path],
    warm_venv: Path,
) -> Chain:
    """The scripts, and the first lines of Multi30k in place of the toy corpus."""
    corpus = shared_data("multi30k")
    chain = Chain(tmp_path, repo_root, warm_venv)
    (chain.data / "raw").mkdir(parents=True)
    for part, (name, count) in LINES.items():
        for language in ("en", "de"):
            lines = (corpus / f"{name}.{language}").read_text().split("\n")[:count]
            text = "".join(f"{line}\n" for line in lines)
            (chain.data / "raw" / f"{part}.{language}").write_text(text)
    chain.run("data-prep/prepare_bpe.sh", "--output", chain.data, "--merges", 400)
    return chain


def losses(log: Path) -> dict[int, float]:
    """Read the training loss of every update; of one done twice, the later."""
    found = re.findall(r"\| train_inner \| (.*)", log.read_text())
    numbers = [json.loads(line) for line in found]
    return {int(entry["num_updates"]): float(entry["loss"]) for entry in numbers}


def processes_of(folder: Path) -> dict[int, int]:
    """Find the processes that train to a folder: their numbers by rank."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_text().split("\0")
        except OSError:  # it has ended
            continue
        if str(folder) in words and words[-3:-2] == ["--distributed-rank"]:
            found[int(words[-2])] = int(path.parent.name)
    return found


def test_two_processes_train_as_one_and_survive_a_kill(chain: Chain) -> None:
    row = "configs/toy/alone_real.flags"
    runs = {number: chain.folder / "runs" / str(number) for number in (1, 2)}

    def command(processes: int, updates: int) -> list[str]:
        where = ["--processes", processes, "--save-dir", runs[processes]]
        flags = [*FLAGS, "--max-update", updates]
        return chain.command("scripts/train.sh", row, *where, *flags)

    log = runs[2] / "train.log"
    with subprocess.Popen(
        command(2, 10 * UPDATES),
        env=chain.environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        end = time.monotonic() + 120
        # Not "Preparing to save", after which there is no checkpoint yet.
        while not (log.exists() and SAVED.search(log.read_text())):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < end
            time.sleep(0.05)
        ranks = processes_of(runs[2])
        assert ranks.keys() == {0, 1}
        os.kill(ranks[1], signal.SIGKILL)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    message = said.splitlines()[-1]
    assert "error: torchrun ended with status 1: Signal 9 (SIGKILL)" in message
    assert f" {ranks[1]};" in message
    assert processes_of(runs[2]) == {}

    # On a busy machine more was saved before the kill than was waited for.
    last = max(map(int, SAVED.findall(log.read_text()))) + UPDATES
    for processes in (2, 1):
        found = subprocess.run(
            command(processes, last),
            env=chain.environment,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        assert found.returncode == 0, found.stderr
    text = log.read_text()
    assert text.count("training on 2 devices") == 2
    assert re.search(r"Loaded checkpoint .* @ [1-9]\d* updates\)", text)
    one, two = losses(runs[1] / "train.log"), losses(log)
    assert one.keys() == two.keys() == set(range(1, last + 1))
    # fairseq prints three digits; sums over processes differ in the last bits.
    assert two == pytest.approx(one, abs=2e-3)
    assert one[last] < one[1] - 0.5
