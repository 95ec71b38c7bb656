"""The ``plot`` command: draw the plots of a folder of results."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from alone_experiments.mistakes import Mistake, say
from alone_experiments.results import (
    plot_codes,
    plot_lengths,
    plot_loss,
    plot_reconstruction,
    plot_sizes,
    plot_word_f1,
)
from alone_experiments.results.headline_results import is_headline_record
from alone_experiments.results.reconstruction_table import is_reconstruction
from alone_experiments.results.result_files import Record, read_records
from alone_experiments.results.student_table import is_student_record
from alone_experiments.results.tuning_table import is_trial

WITHOUT_PLOT = ("overlap", "sentiment", "tagging", "zipf")
"""Experiments that have a table only."""


def draw(records: list[Record], folder: Path) -> list[Path]:
    """Draw the plots of an experiment, of whatever kind its records are.

    Args:
        records: Its records.
        folder: Folder for the pictures.

    Returns:
        The pictures that were drawn.
    """
    drawn: dict[str, Callable[[list[Record], Path], bool]]
    first = records[0]
    experiment = first.get("experiment")
    if experiment in WITHOUT_PLOT or is_trial(first) or is_student_record(first):
        raise Mistake("there is no plot of these records, but a table")
    if experiment == "codes":
        drawn = {"balance.png": plot_codes.plot}
    elif experiment == "word_f1":
        drawn = {"word_f1.png": plot_word_f1.plot}
    elif is_reconstruction(first):
        drawn = {"figure3.png": plot_reconstruction.plot}
    else:
        drawn = {"validation_loss.png": plot_loss.plot}
        if is_headline_record(first):
            drawn["lengths.png"] = plot_lengths.plot
        elif "bleu" in first.get("test", {}):
            drawn["bleu_and_bytes.png"] = plot_sizes.plot
    return [
        folder / name for name, plot in drawn.items() if plot(records, folder / name)
    ]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("folder", type=Path, help="such as results/multi30k")
    parser.add_argument(
        "--output", type=Path, metavar="DIR", help="for the pictures [the same folder]"
    )


def run(args: argparse.Namespace) -> None:
    """Draw the plots and say where they are."""
    try:
        drawn = draw(read_records(args.folder), args.output or args.folder)
    except KeyError as error:
        raise Mistake(
            f"a record in {args.folder} has no {error}: make it again"
        ) from error
    for picture in drawn:
        say(f"plot: {picture}")
