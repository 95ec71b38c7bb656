"""A stand-in for fairseq's commands, to test the scripts around them in no time."""

import contextlib
import io
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

from alone_experiments import cli
from alone_experiments.mistakes import exit_status

COMMANDS = {
    "train.sh": "train-row",
    "evaluate.sh": "evaluate-row",
    "reproduce.sh": "reproduce",
    "quickstart.sh": "quickstart",
}
"""What the scripts become."""

OWN_OPTIONS = ("reproduce-reconstruction", "reproduce-sentiment", "reproduce-codes")
"""What reproduce.sh becomes for experiments that train no translation models."""

# Prints a log and writes a checkpoint as fairseq does; BEHAVIOUR comes first.
TRAIN = """\
#!/usr/bin/env bash
while (($#)); do
  case $1 in
    --save-dir) folder=$2 ;;
    --max-update) updates=$2 ;;
  esac
  shift
done
echo started >>"$folder/starts"
{behaviour}
echo "2026-01-01 10:00:00 | INFO | fairseq_cli.train | training on 1 devices"
touch "$folder/checkpoint_last.pt"
echo "2026-01-01 10:00:09 | INFO | x | Saved checkpoint $folder/a.pt" \
  "(epoch 1 @ $updates updates, score 1.0)"
"""


class Project:
    """A folder of experiments and a machine whose fairseq is a stand-in."""

    def __init__(self, folder: Path, repo_root: Path) -> None:
        """Make the experiment ``exp`` with the row ``row``, and prepared data."""
        self.folder = folder
        self.scripts = repo_root / "scripts"
        self.configs = folder / "configs" / "exp"
        self.run_folder = folder / "output" / "runs" / "exp" / "row--seed1"
        self.write("configs/exp/recipe.flags", "--target-lang de\n--max-update 10\n")
        self.write("configs/exp/row.flags", "--arch transformer_lookup_toy\n")
        self.write("configs/exp/average.flags", "--num-epoch-checkpoints 3\n")
        self.write("configs/exp/generate.flags", "--beam 4\n")
        self.write("output/data/exp/bin/dict.de.txt", "")
        self.write("output/data/exp/raw/test.de", "Satz\n")
        self.add_train()

    def write(self, name: str, text: str) -> Path:
        """Write a file of the folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def add_train(self, behaviour: str = "") -> None:
        """Install fairseq-train, which begins with ``behaviour`` (bash)."""
        text = TRAIN.replace("{behaviour}", behaviour)
        self.write("venv/bin/fairseq-train", text).chmod(0o755)
        python = self.folder / "venv" / "bin" / "python"
        python.unlink(missing_ok=True)
        python.symlink_to(sys.executable)

    def environment(self) -> dict[str, str]:
        """Without the environment and the GPUs that the tests may run with."""
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": os.environ.get("HOME", "/"),
            "ALONE_VENV": str(self.folder / "venv"),
            "ALONE_OUTPUT": str(self.folder / "output"),
            "CUDA_VISIBLE_DEVICES": "",
            "LC_ALL": "C.UTF-8",
        }

    def start(self, script: str, *arguments: object) -> subprocess.Popen[str]:
        """Start a script, as a user does, in a process group of its own."""
        return subprocess.Popen(
            ["bash", str(self.scripts / script), *map(str, arguments)],
            cwd=self.folder,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        """Run the command that a script becomes to its end, in this process."""
        words = [COMMANDS[script], *map(str, arguments)]
        if (own := "-".join(words[:2])) in OWN_OPTIONS:
            words[:2] = [own]
        output, errors = io.StringIO(), io.StringIO()
        with (
            mock.patch.dict(os.environ, self.environment(), clear=True),
            mock.patch.object(sys, "executable", f"{self.folder}/venv/bin/python"),
            contextlib.chdir(self.folder),
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(errors),
        ):
            try:
                status = exit_status(lambda: cli.main(words))
            except SystemExit as end:
                status = end.code if isinstance(end.code, int) else 0
        return subprocess.CompletedProcess(
            words, status, output.getvalue(), errors.getvalue()
        )

    def words(self, script: str, *arguments: object) -> list[list[str]]:
        """Run a script with ``--dry-run``: the commands it would have run."""
        done = self.run(script, *arguments)
        assert done.returncode == 0, done.stderr
        return [shlex.split(line) for line in done.stdout.splitlines()]

    def error(self, script: str, *arguments: object) -> str:
        """Run a script that must fail with one line; the line."""
        done = self.run(script, *arguments)
        assert done.returncode != 0
        assert done.stdout == ""
        lines = [text for text in done.stderr.splitlines() if text[:4] != "==> "]
        assert len(lines) == 1, done.stderr
        assert re.match("alone-fairseq( [a-z-]+)?: error: ", lines[0])
        return lines[0]

    def starts(self) -> int:
        """How often fairseq-train was started for the run."""
        file = self.run_folder / "starts"
        return len(file.read_text().splitlines()) if file.exists() else 0


def run_script(
    project: Project, script: str, *arguments: object
) -> subprocess.CompletedProcess[str]:
    """Run a script to its end, as a user does."""
    process = project.start(script, *arguments)
    output, errors = process.communicate(timeout=60)
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


def wait_for_line(path: Path) -> None:
    """Wait until a file has a line; the shell that writes it makes it empty first."""
    end = time.monotonic() + 30
    while not (path.exists() and path.read_text(encoding="utf-8").endswith("\n")):
        assert time.monotonic() < end, f"{path} has no line"
        time.sleep(0.02)


def kill_all(process: subprocess.Popen[str]) -> None:
    """Kill a script and all that it started, as a machine that stops does."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
