"""docs/your_corpus.md: every command on the page, in its order, with fewer updates."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "your_corpus.md"
COMMANDS = [
    line
    for block in re.findall(r"^```bash\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    for line in block.splitlines()
]
# The rate falls from the second update on; three checkpoints are kept.
SHORT = "--max-update 6 --warmup-updates 2 --save-interval-updates 2 --max-tokens 900"
SHORT_RECIPES = {"small": f"{SHORT} --total-num-update 6", "large": SHORT}


def shortened(command: str) -> str:
    """Make a command of the page short."""
    if command.startswith("alone-fairseq compare"):
        return f"{command} --max-update 12 --methods lookup,alone"
    if command.startswith("alone-fairseq prepare"):
        return f"{command} --merges 400"
    recipe = re.search(r"--recipe (\w+)", command)
    return f"{command} {SHORT_RECIPES[recipe[1]]}" if recipe else command


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reader")


@pytest.fixture(scope="module")
def run(
    shared_data: Callable[[str], Path], folder: Path, warm_venv: Path
) -> Callable[[str], str]:
    """Run a command of the page beside its two files; gives what it prints."""
    for ours, theirs in (("captions.en", "train.en"), ("captions.fr", "train.de")):
        lines = (shared_data("multi30k") / theirs).read_text().splitlines(keepends=True)
        (folder / ours).write_text("".join(lines[:400]))
    environment = {
        **os.environ,
        "ALONE_OUTPUT": str(folder / "output"),
        "ALONE_VENV": str(warm_venv),
        "PATH": f"{warm_venv}/bin:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "OMP_NUM_THREADS": "1",
    }

    def run_command(command: str) -> str:
        done = subprocess.run(
            ["bash", "-c", shortened(command)],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stderr[-3000:]}"
        return done.stdout

    return run_command


@pytest.fixture(scope="module")
def prepared(run: Callable[[str], str]) -> str:
    """What the first command of the page prints, which prepares the corpus."""
    return run(COMMANDS[0])


@pytest.mark.slow
@pytest.mark.usefixtures("prepared")
@pytest.mark.parametrize("amp", ["", pytest.param(" --amp", marks=pytest.mark.gpu)])
def test_the_large_recipe(run: Callable[[str], str], amp: str) -> None:
    command = "alone-fairseq train DATA --recipe large"
    assert f"`{command}" in PAGE.read_text()
    data = command.replace("DATA", "output/data/captions/bin")
    printed = run(f"{data} --update-freq 1 --no-save{amp}")
    assert "num_updates 6" in printed


@pytest.mark.slow
def test_every_command_of_the_page(
    run: Callable[[str], str], prepared: str, folder: Path
) -> None:
    printed = {"prepare": prepared}
    for command in COMMANDS[1:]:
        name = re.findall(r"alone-fairseq (\w+)", command)[0]
        printed[name] = run(command)
    assert {*printed} == {
        *("prepare", "train", "average", "generate", "bleu", "interactive"),
        *("neighbours", "compare"),
    }
    assert "num_updates 6" in printed["train"]
    assert re.search(r"^BLEU = ", printed["bleu"], re.M)
    assert re.search(r"^D-0\t", printed["interactive"], re.M)
    assert re.search(r"^man: ", printed["neighbours"], re.M)
    table = printed["compare"]
    assert re.search(r"^\| lookup +\|.* 100.0% ", table, re.M)
    shares = re.findall(r"^\| alone +\|.* (\d+\.\d)% ", table, re.M)
    assert 45 < float(shares[0]) <= 50
    results = folder / "output/compare/captions/small-0.5/results"
    assert {"table.md", "significance.json", "validation_loss.png"} <= {
        file.name for file in results.iterdir()
    }
