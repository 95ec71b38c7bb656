"""A run: a row that is trained with a seed, on a corpus, to a folder."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from alone_experiments.arguments import whole_number
from alone_experiments.mistakes import Mistake
from alone_experiments.repository import ROOT, output_folder, shown
from alone_experiments.training.experiment import (
    RECIPES,
    Row,
    data_folder,
    find_row,
    flag_value,
    preparing_script,
)
from alone_experiments.training.language_pair import language_pair


@dataclass(frozen=True)
class Run:
    """A run, with its folders as the project's folder sees them.

    Attributes:
        row: What is trained.
        seed: Of weights, dropout and order.
        data: Prepared corpus.
        save_dir: Checkpoints and logs.
    """

    row: Row
    seed: int
    data: str
    save_dir: str

    @property
    def folder(self) -> Path:
        """Where checkpoints and logs are."""
        return ROOT / self.save_dir

    @property
    def corpus(self) -> Path:
        """Where the prepared corpus is."""
        return ROOT / self.data

    @property
    def name(self) -> str:
        """Name of its folder and of its record, such as ``lookup--seed1``."""
        return f"{self.row.name}--seed{self.seed}"

    def languages(self) -> tuple[str, str]:
        """Name source and target: as the recipe says, else as the corpus has them."""
        recipe = self.row.recipe()
        named = [flag_value(f"--{side}-lang", recipe) for side in ("source", "target")]
        if not any(named):
            return language_pair(self.corpus / "bin")
        return named[0] or "", named[1] or ""

    @classmethod
    def from_arguments(cls, args: argparse.Namespace) -> Self:
        """Make a run of what :func:`add_run_arguments` reads.

        Raises:
            Mistake: If the file is no row.
        """
        row = find_row(args.config)
        output = output_folder()
        usual = output / "runs" / row.experiment / f"{row.name}--seed{args.seed}"
        data = args.data or data_folder(row.folder)
        # Links are not followed: records would name what is this machine's alone.
        return cls(row, args.seed, *map(shown, (data, args.save_dir or usual)))

    def check_corpus(self, *files: str) -> None:
        """Check that the corpus has been prepared.

        Args:
            files: What it must have.

        Raises:
            Mistake: If it has not.
        """
        if not all((self.corpus / file).is_file() for file in files):
            own = self.row.experiment.startswith(RECIPES)
            remedy = (
                "prepare it with alone-fairseq prepare, and name it with --data"
                if own
                else f"run: bash {preparing_script(self.row.folder)}"
            )
            raise Mistake(f"no prepared corpus in {self.data}; {remedy}")


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say which run is meant."""
    add = parser.add_argument
    add("config", metavar="CONFIG", help="file of the row")
    add("--data", metavar="DIR", help="prepared corpus [output/data/<experiment>]")
    add(
        "--save-dir",
        metavar="DIR",
        help="checkpoints and logs [output/runs/<experiment>/<row>--seed<N>]",
    )
    add(
        "--seed",
        type=whole_number(),
        default=1,
        metavar="N",
        help="seed of weights, dropout and order [%(default)s]",
    )
    add("--dry-run", action="store_true", help="print the commands and do nothing")
