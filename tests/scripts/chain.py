"""The project's scripts, fairseq included, on a small corpus."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from alone_experiments.corpora import toy_text
from alone_experiments.corpora.description import find_description
from alone_experiments.corpora.options import parse
from alone_experiments.repository import ROOT
from alone_experiments.steps import Steps

RULES = ROOT / "data-prep/toy_en_de.toml"
VENV = Path(sys.executable).parent.parent
UPDATES = 12
TOKENS = 1500  # several epochs in 40 updates
SAVES = ("--save-interval-updates", 10)


class Chain:
    """The project's scripts, with a small corpus and a folder of its own.

    Args:
        folder: For all output.
        repo_root: The project.
        venv: The environment with fairseq.
    """

    def __init__(self, folder: Path, repo_root: Path, venv: Path = VENV) -> None:
        """Choose the folder for all output."""
        self.folder, self.root = folder, repo_root
        self.data = folder / "data" / "toy"
        self.environment = {
            **os.environ,
            "ALONE_OUTPUT": str(folder),
            "ALONE_VENV": str(venv),
            "PYTHONPATH": str(repo_root),
        }

    def command(self, script: str, *arguments: object) -> list[str]:
        """Make the command line of a script."""
        return ["bash", str(self.root / script), *map(str, arguments)]

    def run(self, script: str, *arguments: object) -> str:
        """Run a script that must succeed; all it prints."""
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
        """Prepare a few sentences of the toy language, an odd number of them."""
        size = toy_text.Size(train=501, valid=21, test=21, min_count=1, seed=1)
        toy_text.write_corpus(self.data, RULES, size)
        prepare = "data-prep/prepare_bpe.sh"
        self.run(prepare, "--output", self.data, "--merges", "300")

    def say_that_the_corpus_is_new(self) -> None:
        """Mark the raw text as data-prep/toy.sh marks its own, so that it is kept."""
        steps = Steps(self.data / "steps", self.data / "prepared")
        files = toy_text.raw_files(self.data / "raw")
        size = toy_text.Size.of(parse(find_description("toy"), []))
        steps.run("raw", files, toy_text.depends(RULES, size), lambda: None)

    def train(self, row: str, updates: int = UPDATES) -> str:
        """Train a row of the toy experiment."""
        flags = ["--max-update", updates, "--max-tokens", TOKENS, "--warmup-updates", 4]
        flags += SAVES
        return self.run("scripts/train.sh", f"configs/toy/{row}.flags", "--", *flags)

    def record(self, row: str) -> dict[str, Any]:
        """Evaluate a row; its record."""
        self.run("scripts/evaluate.sh", f"configs/toy/{row}.flags")
        file = self.folder / "results" / "toy" / f"{row}--seed1.json"
        found: dict[str, Any] = json.loads(file.read_text())
        return found
