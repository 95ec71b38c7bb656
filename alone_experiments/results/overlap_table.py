"""The table of what spaces of word vectors share, by the frequency of words."""

from __future__ import annotations

import re

from alone_experiments.results.cells import describe_changes, name_commits
from alone_experiments.results.columns import Column, write_table
from alone_experiments.results.result_files import Record

Means = dict[str, float]
"""Number of words, and the means of them: ``words``, ``shared``, ``correlation``."""

_Line = tuple[str, str, Means]
"""A space, a bin and its means."""

_PLACE = re.compile(r"^output/runs/|/averaged\.pt")
"""What the names of all averaged checkpoints of our runs have in common."""


def make_overlap_table(records: list[Record]) -> str:
    """Make a table a record, each under the space that others are compared with.

    Args:
        records: Records, in any order.

    Returns:
        Markdown, remarks included, with a line feed at the end.
    """
    blocks = []
    for record in records:
        reference = _PLACE.sub("", record["reference"])
        spaces = {_PLACE.sub("", name): own for name, own in record["spaces"].items()}
        blocks.append(f"Of {record['words']:,} words, compared with {reference}:")
        blocks.append(write(spaces))
    chances = sorted({(each["count"], each["chance"]) for each in records})
    remarks = [
        *(f"By chance {part:.2%} of {k} neighbours are shared." for k, part in chances),
        f"{name_commits(records)}.",
        *describe_changes(records),
    ]
    return "\n\n".join([*blocks, "  \n".join(remarks)]) + "\n"


def write(found: dict[str, dict[str, Means]]) -> str:
    """Lay the means out as a table, a line a space and bin.

    Args:
        found: What each space shares with the first, by bins.
    """
    rows = [(name, *each) for name, bins in found.items() for each in bins.items()]
    columns = [
        Column[_Line]("space", lambda row: row[0], words=True),
        Column[_Line]("word seen", lambda row: row[1], words=True),
        Column[_Line]("words", lambda row: f"{row[2]['words']:,}"),
        Column[_Line]("neighbours shared", lambda row: f"{row[2]['shared']:.1%}"),
        Column[_Line]("correlation", lambda row: f"{row[2]['correlation']:.3f}"),
    ]
    return write_table(columns, rows)
