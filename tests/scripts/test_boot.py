"""The scripts that only boot: each becomes a command, with all that it is told."""

import shlex

import pytest

from tests.scripts.stand_in_fairseq import COMMANDS, Project, run_script


@pytest.mark.parametrize("script", COMMANDS)
def test_help(project: Project, script: str) -> None:
    done = run_script(project, script, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: alone-fairseq {COMMANDS[script]} ")


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("train.sh", ["configs/exp/row.flags", "--seed", "2", "--", "--lr", "1 2"]),
        ("evaluate.sh", ["configs/exp/row.flags", "--notes", "two words"]),
        ("reproduce.sh", ["toy", "--notes", "two words", "--rows", "lookup"]),
        ("reproduce.sh", ["reconstruction", "--part"]),
    ],
)
def test_words_reach_the_command(
    project: Project, script: str, words: list[str]
) -> None:
    if script != "reproduce.sh":
        words = [*words[:1], "--dry-run", *words[1:]]
    else:
        words = [*words, "--dry-run"]
    done = run_script(project, script, *words)
    assert done.returncode == 0, done.stderr
    commands = [shlex.split(line) for line in done.stdout.splitlines()]
    assert commands == project.words(script, *words)


def test_without_a_python(project: Project) -> None:
    for name in ("python", "python3"):
        (project.folder / "venv/bin" / name).unlink(missing_ok=True)
        project.write(f"venv/bin/{name}", "#!/bin/sh\nexit 1\n").chmod(0o755)
    done = run_script(project, "train.sh", "configs/exp/row.flags")
    assert done.returncode == 1
    assert done.stderr == (
        "error: no Python 3.11 or newer; run: bash scripts/setup.sh\n"
    )
