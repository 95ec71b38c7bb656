"""The ``table`` command: print the table of a folder of results, as Markdown."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from alone_experiments.mistakes import Mistake
from alone_experiments.results.codes_results import make_codes_table
from alone_experiments.results.headline_results import is_headline_record
from alone_experiments.results.headline_table import make_headline_table
from alone_experiments.results.overlap_table import make_overlap_table
from alone_experiments.results.reconstruction_table import (
    is_reconstruction,
    make_reconstruction_table,
)
from alone_experiments.results.result_files import (
    Record,
    read_comparisons,
    read_records,
)
from alone_experiments.results.sentiment_results import make_sentiment_table
from alone_experiments.results.student_table import (
    is_student_record,
    make_student_table,
)
from alone_experiments.results.tagging_table import make_tagging_table
from alone_experiments.results.translation_table import make_translation_table
from alone_experiments.results.tuning_table import is_trial, tuning_table
from alone_experiments.results.word_f1_table import make_word_f1_table
from alone_experiments.results.zipf_table import make_zipf_table

OF_EXPERIMENT: dict[str, Callable[[list[Record]], str]] = {
    "codes": make_codes_table,
    "overlap": make_overlap_table,
    "tagging": make_tagging_table,
    "word_f1": make_word_f1_table,
    "zipf": make_zipf_table,
}
"""Tables of experiments whose records have a form of their own."""


def make_table(records: list[Record], comparisons: list[Record] | None = None) -> str:
    """Make the table of an experiment, of whatever kind its records are.

    Args:
        records: Its records, in any order.
        comparisons: What ``alone-fairseq compare`` made of them.

    Returns:
        Markdown, remarks included, with a line feed at the end.
    """
    first, compared = records[0], comparisons or []
    if is_trial(first):
        return tuning_table(records)
    if make := OF_EXPERIMENT.get(first.get("experiment", "")):
        return make(records)
    if first.get("experiment") == "sentiment":
        return make_sentiment_table(records, compared)
    if is_student_record(first):
        return make_student_table(records)
    if is_reconstruction(first):
        return make_reconstruction_table(records)
    if is_headline_record(first):
        return make_headline_table(records, compared)
    return make_translation_table(records, compared)


def make_table_of(folder: Path) -> str:
    """Make the table of a folder of results.

    Args:
        folder: Folder with one JSON file a run.

    Returns:
        What :func:`make_table` makes of it.

    Raises:
        Mistake: If there are no records, or one is damaged.
    """
    records = read_records(folder)
    try:
        return make_table(records, read_comparisons(folder))
    except KeyError as error:
        raise Mistake(f"a record in {folder} has no {error}: make it again") from error


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("folder", type=Path, help="such as results/multi30k")


def run(args: argparse.Namespace) -> None:
    """Print a table."""
    print(make_table_of(args.folder), end="")
