"""Rows that are trained, evaluated and compared: what a table is made of."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from alone_experiments.arguments import whole_number, whole_numbers
from alone_experiments.jobs import Job, add_job_arguments
from alone_experiments.repository import shown
from alone_experiments.training import remove_run
from alone_experiments.training.experiment import Row, data_folder, flag_value
from alone_experiments.training.train_arguments import (
    add_hardware_arguments,
    hardware_flags,
)

FALL = "--total-num-update"
"""The number of updates over which a recipe's rate falls."""


@dataclass(frozen=True)
class RowJobs:
    """Rows to be trained and evaluated.

    Attributes:
        rows: The rows.
        runs: Folder of their runs, which are named ``<row>--seed<N>``.
        results: Folder for records, table and plot.
        where: Flags of train-row and evaluate-row that name other folders than the
            usual ones, for the name of a run.
        flags_of: Flags of fairseq-train that a row gets beside its own.
        kept: Names of rows that ``--force`` does not begin again.
    """

    rows: Sequence[Row]
    runs: Path
    results: Path
    where: Callable[[str], list[str]] | None = None
    flags_of: Callable[[Row], list[str]] | None = None
    kept: Collection[str] = ()

    def jobs(self, args: argparse.Namespace, started: bool | None = None) -> list[Job]:
        """Make a job for each row and seed; what is named twice is done once.

        Args:
            args: What :func:`add_row_arguments` reads.
            started: Only rows that start from another one's model, or only those that
                do not, which must be done before; all if left out.
        """
        return [
            Job(row.name, self._commands_of(row, seed, args))
            for seed in dict.fromkeys(args.seed)
            for row in {row.name: row for row in self.rows}.values()
            if started is None or started == (row.start() is not None)
        ]

    def _commands_of(
        self, row: Row, seed: int, args: argparse.Namespace
    ) -> list[list[str]]:
        name = f"{row.name}--seed{seed}"
        which = [
            shown(row.file),
            "--seed",
            str(seed),
            *(self.where(name) if self.where else []),
        ]
        train = ["bash", "scripts/train.sh", *which, *hardware_flags(args)]
        more = self.flags_of(row) if self.flags_of else []
        if args.max_update is not None:
            updates = str(args.max_update)
            more = [*more, "--max-update", updates]
            # Or the rate would be nothing from the recipe's own last update on.
            if flag_value(FALL, row.recipe()) is not None:
                more += [FALL, updates]
        train += ["--", *more] if more else []
        evaluate = ["bash", "scripts/evaluate.sh", *which]
        evaluate += ["--results", str(self.results)]
        evaluate += ["--notes", args.notes] if args.notes else []
        again = args.force and row.name not in self.kept
        record = ["rm", "-f", f"{self.results}/{name}.json"]
        remove = [remove_run.command(self.runs / name), record] if again else []
        return [*remove, *self._start_of(row, seed), train, evaluate]

    def _start_of(self, row: Row, seed: int) -> list[list[str]]:
        start = row.start()
        if start is None:
            return []
        folder = shown(self.runs / f"{row.name}--seed{seed}")
        model = shown(self.runs / f"{start.row}--seed{seed}" / "averaged.pt")
        made = ["--output", f"{folder}/start.pt"]
        made += ["--checkpoint-out", f"{folder}/start.model.pt"]
        data = ["--data", f"{shown(data_folder(row.folder))}/bin"]
        fit = ["alone-fairseq", *start.command, model, *data, "--seed", str(seed)]
        return [["mkdir", "-p", folder], [*fit, *made]]


def add_row_arguments(parser: argparse.ArgumentParser, results: str) -> None:
    """Add the arguments that say how rows are trained and what becomes of them.

    Args:
        parser: Parser of the command.
        results: The usual folder for records, for the help.
    """
    add = parser.add_argument
    add(
        "--seed",
        type=whole_numbers(),
        default=[1],
        metavar="N,M",
        help="seeds, one run a row and seed [1]",
    )
    add(
        "--max-update",
        type=whole_number(1),
        metavar="N",
        help="train all rows for N updates instead of the recipe's number, over which"
        " the rate falls",
    )
    add_job_arguments(parser, results)
    add_hardware_arguments(parser)
