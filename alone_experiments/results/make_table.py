"""Print the table of an experiment's results, as Markdown.

Needs no corpus and no fairseq: all it says comes from the records, from what
``compare_results`` wrote beside them, and from the headers in configs/.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from alone_experiments.results.headline_results import is_headline_record
from alone_experiments.results.headline_table import make_headline_table
from alone_experiments.results.result_files import (
    Record,
    factorised_twin,
    group_by_row,
    plain_row,
    read_comparisons,
    read_records,
    trained_values,
)
from alone_experiments.results.table_parts import (
    align,
    describe_origin,
    distinct,
    format_difference,
    format_mean,
    header,
    inner_size,
    share,
    total_values,
)


@dataclass(frozen=True)
class Table:
    """All that the table of an experiment is made from.

    Attributes:
        records: Its records, in any order.
        comparisons: What :func:`current` left of ``compare_results``'s.
    """

    records: list[Record]
    comparisons: list[Record]

    def bleu(self, group: list[Record]) -> str:
        """Write the score of a row; several seeds become mean and deviation."""
        return format_mean([record["test"]["bleu"] for record in group])

    def compound_split(self, group: list[Record]) -> str:
        """Write the tokenised score with compounds split."""
        scores = [record["test"].get("compound_split") for record in group]
        return format_mean([s["bleu"] for s in scores]) if all(scores) else ""

    def against_lookup(self, group: list[Record]) -> str:
        """Write the difference from the look-up table, and whether it is one."""
        return self._against(group, "lookup")

    def against_factorised(self, group: list[Record]) -> str:
        """Write the difference from the factorised table of the same size."""
        twin = factorised_twin(group[0], self.records)
        return self._against(group, twin) if twin else ""

    def against_plain_row(self, group: list[Record]) -> str:
        """Write the difference from the row of which this one is a variation."""
        plain = plain_row(group[0])
        return self._against(group, plain) if plain else ""

    def _against(self, group: list[Record], baseline: str) -> str:
        pair = (group[0]["row"], baseline)
        return format_difference(
            [
                (entry["seed"], entry["difference"], entry["p_value"])
                for entry in self.comparisons
                if (entry["row"], entry["baseline"]) == pair
            ]
        )


def current(comparisons: list[Record], records: list[Record]) -> list[Record]:
    """Pick the comparisons of those translations that the records keep now.

    Args:
        comparisons: What ``compare_results`` wrote.
        records: The records of the experiment.

    Returns:
        All but those of runs that have been made again since.
    """
    checksums = {(run["row"], run["seed"]): _checksum(run) for run in records}
    return [
        entry
        for entry in comparisons
        if entry["translations"]
        == [checksums.get((entry[name], entry["seed"])) for name in ("row", "baseline")]
    ]


def _checksum(record: Record) -> str | None:
    kept = record["test"].get("translations")
    return kept["sha256"] if kept else None


def published_score(record: Record) -> str:
    """Find the paper's number in the header of the row's file.

    Args:
        record: A run of the row.

    Returns:
        The number in ``# Paper: BLEU <number>``, empty where there is none.
    """
    found = re.search(r"^# Paper: BLEU ([\d.]*\d)", header(record), re.MULTILINE)
    return found[1] if found else ""


# Columns that are empty in every row are left out.
COLUMNS: dict[str, Callable[[Table, list[Record]], str]] = {
    "row": lambda _, group: str(group[0]["row"]),
    "method": lambda _, group: str(group[0]["method"]),
    "H": lambda _, group: inner_size(group[0]),
    "embedding values": lambda _, group: f"{trained_values(group[0]):,}",
    "share of lookup": lambda _, group: share(group[0]),
    "stored bytes": lambda _, group: f"{group[0]['footprint']['stored_bytes']:,}",
    "total values": lambda _, group: total_values(group[0]),
    "BLEU": Table.bleu,
    "split BLEU": Table.compound_split,
    "against lookup": Table.against_lookup,
    "against low_rank of its size": Table.against_factorised,
    "against row without ending": Table.against_plain_row,
    "BLEU in the paper": lambda _, group: published_score(group[0]),
}
LEFT_ALIGNED = 2


def format_remarks(table: Table) -> list[str]:
    """Say below the table what all its numbers share, and where they do not.

    Args:
        table: The table.

    Returns:
        One text a line.
    """
    records = table.records
    tests = [record["test"] for record in records]
    remarks = [f"SacreBLEU: {distinct(test['signature'] for test in tests)}"]
    if sets := distinct(test["test_set"] for test in tests if test.get("test_set")):
        remarks.append(f"Test set: SacreBLEU's {sets}.")
    split = [test["compound_split"] for test in tests if test.get("compound_split")]
    if split:
        remarks.append(
            "Split BLEU: tokenised, hyphenated compounds split, for comparison with"
            f" older papers only: {distinct(entry['signature'] for entry in split)}"
        )
    remarks.append(describe_test(table))
    return remarks + describe_origin(records)


def describe_test(table: Table) -> str:
    """Say how significance was tested, or why it was not.

    Args:
        table: The table.

    Returns:
        One line.
    """
    if table.comparisons:
        signatures = distinct(entry["signature"] for entry in table.comparisons)
        return f"p: paired approximate randomisation, one a seed: {signatures}"
    if any(map(_checksum, table.records)):
        return "No test of significance: nothing to compare, or not compared since."
    return "No test of significance: the translations were not kept."


def make_table(records: list[Record], comparisons: list[Record] | None = None) -> str:
    """Make the table of an experiment.

    Args:
        records: Its records, in any order.
        comparisons: What ``compare_results`` made of them.

    Returns:
        Markdown, remarks included, with a line feed at the end.
    """
    if is_headline_record(records[0]):
        return make_headline_table(records, comparisons or [])
    table = Table(records, current(comparisons or [], records))
    groups = group_by_row(records)
    columns = [
        [name, *cells]
        for name, write in COLUMNS.items()
        if any(cells := [write(table, group) for group in groups])
    ]
    remarks = "  \n".join(format_remarks(table))
    return f"{align(columns, LEFT_ALIGNED)}\n\n{remarks}\n"


def main() -> None:
    """Print the table of the folder named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="such as results/multi30k")
    folder = parser.parse_args().folder
    try:
        print(make_table(read_records(folder), read_comparisons(folder)), end="")
    except (ValueError, KeyError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
