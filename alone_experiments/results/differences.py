"""Differences of rows from those that they are compared with.

Every row is compared with look-up, which is a column of the table; the other rows that
it is compared with are few and its own, so they are listed in a table below it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from alone_experiments.results.cells import format_difference
from alone_experiments.results.columns import Column, write_table
from alone_experiments.results.comparisons import comparisons_of
from alone_experiments.results.result_files import Group, Record
from alone_experiments.training.experiment import BASELINE, Comparison


class Difference(NamedTuple):
    """Two rows that have been compared.

    Attributes:
        row: The one.
        other: The other, and what it is to the one.
        cell: The difference, and whether it is one.
    """

    row: str
    other: Comparison
    cell: str


def against(
    group: Group, other: str, compared: list[Record], scale: float = 1.0
) -> str:
    """Write the difference from another row, and whether it is one.

    Args:
        group: The row.
        other: The other row.
        compared: Comparisons of what the records keep now.
        scale: What differences are multiplied by.

    Returns:
        A cell; empty where there is no such row, or no comparison.
    """
    wanted = (group[0]["row"], other)
    return format_difference(
        [
            (entry["seed"], scale * entry["difference"], entry["p_value"])
            for entry in compared
            if (entry["row"], entry["baseline"]) == wanted
        ],
        len(group),
    )


def against_lookup(compared: list[Record], scale: float = 1.0) -> Column[Group]:
    """Make the column with the differences from look-up.

    Args:
        compared: Comparisons of what the records keep now.
        scale: What differences are multiplied by.
    """
    cell = partial(against, other=BASELINE, compared=compared, scale=scale)
    return Column(f"against {BASELINE}", cell)


def write_differences(
    groups: list[Group], compared: list[Record], score: str, scale: float = 1.0
) -> str:
    """Make the table of the differences from all other rows.

    Args:
        groups: The rows, in the order of the table.
        compared: Comparisons of what the records keep now.
        score: What differs, such as BLEU.
        scale: What differences are multiplied by.

    Returns:
        Markdown; empty where nothing is compared but with look-up.
    """
    columns = [
        Column[Difference]("row", lambda found: found.row, words=True),
        Column[Difference]("against", lambda found: found.other.row, words=True),
        Column[Difference]("which is", lambda found: found.other.label, words=True),
        Column[Difference](score, lambda found: found.cell),
    ]
    return write_table(columns, [*_find_differences(groups, compared, scale)])


def _find_differences(
    groups: list[Group], compared: list[Record], scale: float
) -> Iterator[Difference]:
    for group in groups:
        for other in comparisons_of(group[0]):
            cell = against(group, other.row, compared, scale)
            if other.row != BASELINE and cell:
                yield Difference(group[0]["row"], other, cell)
