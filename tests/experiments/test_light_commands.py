"""Commands that need neither torch nor fairseq do not wait for them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from alone_experiments.cli import FAIRSEQ_COMMANDS, TOOLS

HEAVY = {"torch", "fairseq", "alone_fairseq"}
LIGHT = ("bleu", "rouge", "rerank", "characters", "subwords", "similarity", "analogy")


@pytest.mark.parametrize(
    "words",
    [["--help"], ["user-dir"], *([name, "--help"] for name in LIGHT)],
    ids=" ".join,
)
def test_heavy_packages_are_not_imported(words: list[str]) -> None:
    code = (
        "import sys; from alone_experiments.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit as end: assert not end.code\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=True
    )
    assert not HEAVY & set(done.stdout.splitlines()[-1].split())


def test_the_table_names_modules_that_exist() -> None:
    assert {*LIGHT, "params", "average", "reconstruct"} <= set(TOOLS)
    assert not {*TOOLS} & {*FAIRSEQ_COMMANDS}


@pytest.mark.parametrize(
    "module",
    [
        *("reproduce", "quickstart", "training.train", "evaluation.evaluate"),
        *("reconstruction.figure3", "codes.table2", "sentiment.table3"),
    ],
)
def test_what_runs_before_the_set_up_needs_nothing_installed(
    module: str, repo_root: Path
) -> None:
    # -S: no site-packages. The scripts begin with any Python, and set up then.
    code = f"import alone_experiments.{module}, alone_experiments.cli"
    command = [sys.executable, "-S", "-c", code]
    done = subprocess.run(
        command, cwd=repo_root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_package_that_is_missing_is_told_in_one_line(repo_root: Path) -> None:
    command = [sys.executable, "-S", "-m", "alone_experiments", "params"]
    done = subprocess.run(
        command, cwd=repo_root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("alone-fairseq: error: torch is not installed for ")
    assert done.stderr.count("\n") == 1
    assert "bash scripts/setup.sh" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["train", "bin", "--recipe", "small"],
        ["prepare", "a.en", "a.fr"],
        ["quickstart"],
    ],
    ids=" ".join,
)
def test_without_the_checkout_they_say_where_recipes_are(
    words: list[str], repo_root: Path, tmp_path: Path
) -> None:
    for package in ("alone_fairseq", "alone_experiments"):
        shutil.copytree(repo_root / package, tmp_path / package)
    code = "from alone_experiments.cli import command; command()"
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "-e ." in done.stderr
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "alone_experiments",
        "alone_fairseq",
    ]
