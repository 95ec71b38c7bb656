"""The tables of what systems do with frequent and with rare words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from alone_experiments.results.cells import describe_changes, distinct, name_commits
from alone_experiments.results.columns import Column, write_table
from alone_experiments.results.reconstruction_table import spread
from alone_experiments.results.result_files import Record

_SEED = re.compile(r"--seed\d+")

ALL = "all"
"""The line below the bins: of all words, and of all sentences."""


def make_word_f1_table(records: list[Record]) -> str:
    """Make the tables of each record.

    Args:
        records: What ``alone-fairseq word-f1 --json`` wrote, in any order.

    Returns:
        Markdown, remarks included, with a line feed at the end.
    """
    blocks = [
        block for record in records for block in (f"{record['row']}:", *write(record))
    ]
    remarks = [
        f"SacreBLEU: {distinct(record['signature'] for record in records)}",
        f"{name_commits(records)}.",
        *describe_changes(records),
    ]
    return "\n\n".join([*blocks, "  \n".join(remarks)]) + "\n"


def write(record: Record) -> list[str]:
    """Lay the scores out as two tables, a column a row of the experiment.

    Args:
        record: As ``alone-fairseq word-f1 --json`` writes it.

    Returns:
        F1 of words and BLEU of sentences, by bins: means over seeds, and deviations.
    """
    words = _table(record, "F1 of words seen", "words", "f1")
    sentences = _table(record, "BLEU, rarest word seen", "sentences", "bleu")
    return [words, sentences]


def seeds_by_row(record: Record) -> dict[str, list[dict[str, Any]]]:
    """Put the systems that differ in their seed alone together.

    Args:
        record: As ``alone-fairseq word-f1 --json`` writes it.

    Returns:
        Scores of the seeds of each row, in the order in which they were given.
    """
    rows: dict[str, list[dict[str, Any]]] = {}
    parts = {name: _SEED.split(name, maxsplit=1) for name in record["systems"]}
    endings = {after for _, *rest in parts.values() for after in rest}
    for name, (row, *rest) in parts.items():
        # What all have after the seed, as their file's ending, tells nothing apart.
        ending = "" if len(endings) < 2 else "".join(rest)
        rows.setdefault(f"{row}{ending}", []).append(record["systems"][name])
    return rows


def _table(record: Record, title: str, count: str, score: str) -> str:
    bins: Sequence[str] = [*record["bins"], ALL]
    columns: list[Column[int]] = [
        Column(title, lambda place: bins[place], words=True),
        Column(count, lambda place: f"{record[count][place]:,}"),
    ]
    for row, seeds in seeds_by_row(record).items():
        several = f" ({len(seeds)} seeds)" if len(seeds) > 1 else ""
        of_bins = list(zip(*(system[score] for system in seeds), strict=True))
        cells = [spread(of_bin, ".2f") for of_bin in of_bins]
        columns.append(Column(f"{row}{several}", cells.__getitem__))
    return write_table(columns, range(len(bins)))
