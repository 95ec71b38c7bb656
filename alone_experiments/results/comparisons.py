"""Which rows are compared: with look-up, and with what their own headers name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from alone_experiments import repository
from alone_experiments.results.result_files import Record
from alone_experiments.training.experiment import BASELINE, Comparison, Row


def row_of(record: Record) -> Row:
    """Find the file of a record's row, which need not exist any more."""
    folder = repository.CONFIGS / record["experiment"]
    return Row(folder / f"{record['row']}.flags")


def comparisons_of(record: Record) -> list[Comparison]:
    """List what a run's row is compared with.

    Args:
        record: A run of the row.

    Returns:
        Look-up first, then what the header of the row's file names, or the record of a
        row without a file; not the row itself.
    """
    named = [Comparison(BASELINE, BASELINE), *row_of(record).comparisons()]
    named += map(Comparison.parse, record.get("compared_with", []))
    return [comparison for comparison in named if comparison.row != record["row"]]


def pairs(records: list[Record]) -> Iterator[tuple[Record, Record]]:
    """List what is compared.

    Args:
        records: All runs of an experiment.

    Yields:
        A run, and one of the same seed to compare it with.
    """
    runs = {(record["row"], record["seed"]): record for record in records}
    for record in records:
        for row in dict.fromkeys(other.row for other in comparisons_of(record)):
            baseline = runs.get((row, record["seed"]))
            if baseline is not None:
                yield record, baseline


def current(
    comparisons: list[Record], field: str, checksums: Mapping[tuple[Any, ...], Any]
) -> list[Record]:
    """Pick the comparisons of what the records keep now.

    Args:
        comparisons: What ``alone-fairseq compare`` wrote.
        field: Where a comparison has the checksums of what it compared.
        checksums: Checksums of what the records keep, by row and seed, and by length
            where comparisons have one.

    Returns:
        All but those of runs that have been made again since.
    """

    def kept(entry: Record, side: str) -> Any:
        length = [entry["length"]] if "length" in entry else []
        return checksums.get((entry[side], entry["seed"], *length))

    return [
        entry
        for entry in comparisons
        if entry.get(field) == [kept(entry, side) for side in ("row", "baseline")]
    ]
