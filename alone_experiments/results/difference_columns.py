"""Columns with the differences of a row from those that it is compared with."""

from __future__ import annotations

from functools import partial

from alone_experiments.results.cells import format_difference
from alone_experiments.results.columns import Column
from alone_experiments.results.comparisons import comparisons_of
from alone_experiments.results.result_files import Group, Record


def against(
    group: Group, label: str, compared: list[Record], scale: float = 1.0
) -> str:
    """Write the difference from another row, and whether it is one.

    Args:
        group: The row.
        label: What the other row is to it.
        compared: Comparisons of what the records keep now.
        scale: What differences are multiplied by.

    Returns:
        A cell; empty where there is no such row, or no comparison.
    """
    row = group[0]["row"]
    others = {each.row for each in comparisons_of(group[0]) if each.label == label}
    return format_difference(
        [
            (entry["seed"], scale * entry["difference"], entry["p_value"])
            for entry in compared
            if entry["row"] == row and entry["baseline"] in others
        ]
    )


def difference_columns(
    groups: list[Group], compared: list[Record], scale: float = 1.0
) -> list[Column[Group]]:
    """Make a column for each kind of row that rows are compared with.

    Args:
        groups: The rows of the table.
        compared: Comparisons of what the records keep now.
        scale: What differences are multiplied by.
    """
    labels = dict.fromkeys(
        comparison.label for group in groups for comparison in comparisons_of(group[0])
    )
    return [
        Column(
            f"against {label}",
            partial(against, label=label, compared=compared, scale=scale),
        )
        for label in labels
    ]
