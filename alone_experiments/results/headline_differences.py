"""The table of differences between rows of an experiment with headlines."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from alone_experiments.results.cells import format_difference
from alone_experiments.results.columns import Column, write_table
from alone_experiments.results.comparisons import comparisons_of
from alone_experiments.results.headline_results import METRICS, test_names
from alone_experiments.results.result_files import Record, group_by_row


class Difference(NamedTuple):
    """Two rows that are compared at a desired length.

    Attributes:
        row: The one.
        baseline: The other.
        length: The desired length, as the records name it.
        entries: Their comparisons, one a seed.
        seeds: Number of seeds that the one has.
    """

    row: str
    baseline: str
    length: str
    entries: list[Record]
    seeds: int

    def points(self, metric: str) -> str:
        """Write the difference in points of ROUGE."""
        found = [(entry["seed"], entry["metrics"][metric]) for entry in self.entries]
        return format_difference(
            [(seed, 100 * m["difference"], m["p_value"]) for seed, m in found],
            self.seeds,
        )


def checksums_of(records: list[Record]) -> dict[tuple[str, int, str], str]:
    """Gather the checksums of the headlines, by row, seed and desired length."""
    return {
        (record["row"], record["seed"], name): scores["headlines"]["sha256"]
        for record in records
        for name, scores in record["test"]["rouge"].items()
        if "headlines" in scores
    }


def write_differences(records: list[Record], comparisons: list[Record]) -> str:
    """Make the table of differences between rows, in points of ROUGE.

    Args:
        records: All records.
        comparisons: Those of headlines that the records keep now.

    Returns:
        Markdown; empty without a comparison.
    """
    columns = [
        Column[Difference]("row", lambda difference: difference.row, words=True),
        Column[Difference]("against", lambda difference: difference.baseline, True),
        Column[Difference]("N", lambda difference: difference.length),
        *(Column(m, partial(Difference.points, metric=m)) for m in METRICS),
    ]
    return write_table(columns, [*find_differences(records, comparisons)])


def find_differences(
    records: list[Record], comparisons: list[Record]
) -> Iterator[Difference]:
    """List the pairs of rows that have been compared, length by length."""
    for name in test_names(records):
        for group in group_by_row(records):
            row = group[0]["row"]
            for other in dict.fromkeys(c.row for c in comparisons_of(group[0])):
                wanted = (row, other, name)
                if found := [entry for entry in comparisons if _of(entry) == wanted]:
                    yield Difference(*wanted, found, len(group))


def _of(entry: Record) -> tuple[str, str, str]:
    return entry["row"], entry["baseline"], entry["length"]
