"""Print the table of an experiment's results, as Markdown.

Needs no corpus and no fairseq: all it says comes from the records, from what
scripts/compare_results.py wrote beside them, and from the headers in configs/.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from result_files import (
    Record,
    factorised_twin,
    group_by_row,
    read_comparisons,
    read_records,
    trained_values,
)

CONFIGS = Path(__file__).resolve().parent.parent / "configs"


@dataclass(frozen=True)
class Table:
    """All that the table of an experiment is made from.

    Attributes:
        records: Its records, in any order.
        comparisons: What :func:`current` left of scripts/compare_results.py's.
    """

    records: list[Record]
    comparisons: list[Record]

    def bleu(self, group: list[Record]) -> str:
        """Write the score of a row; several seeds become mean and deviation."""
        return _mean([record["test"]["bleu"] for record in group])

    def compound_split(self, group: list[Record]) -> str:
        """Write the tokenised score with compounds split."""
        scores = [record["test"].get("compound_split") for record in group]
        return _mean([s["bleu"] for s in scores]) if all(scores) else ""

    def against_lookup(self, group: list[Record]) -> str:
        """Write the difference from the look-up table, and whether it is one."""
        return self._against(group, "lookup")

    def against_factorised(self, group: list[Record]) -> str:
        """Write the difference from the factorised table of the same size."""
        twin = factorised_twin(group[0], self.records)
        return self._against(group, twin) if twin else ""

    def _against(self, group: list[Record], baseline: str) -> str:
        found = [
            entry
            for entry in self.comparisons
            if (entry["row"], entry["baseline"]) == (group[0]["row"], baseline)
        ]
        if not found:
            return ""
        found.sort(key=lambda entry: int(entry["seed"]))
        difference = mean(entry["difference"] for entry in found)
        chances = ", ".join(_p_value(entry["p_value"]) for entry in found)
        return f"{difference:+.2f} ({chances})"


def current(comparisons: list[Record], records: list[Record]) -> list[Record]:
    """Pick the comparisons of those translations that the records keep now.

    Args:
        comparisons: What scripts/compare_results.py wrote.
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


def _mean(scores: list[float]) -> str:
    text = f"{mean(scores):.2f}"
    if len(scores) > 1:
        text += f" ± {stdev(scores):.2f} ({len(scores)} seeds)"
    return text


def _p_value(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def inner_size(record: Record) -> str:
    """Find ALONE's inner size H, as the command of the training gave it."""
    words = record.get("command", [])
    flag = "--alone-inter-dim"
    return words[len(words) - words[::-1].index(flag)] if flag in words else ""


def published_score(record: Record) -> str:
    """Find the paper's number in the header of the row's file.

    Args:
        record: A run of the row.

    Returns:
        The number in ``# Paper: BLEU <number>``, empty where there is none.
    """
    file = CONFIGS / record["experiment"] / f"{record['row']}.flags"
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    found = re.search(r"^# Paper: BLEU ([\d.]*\d)", text, flags=re.MULTILINE)
    return found[1] if found else ""


def share(record: Record) -> str:
    """Write the trained values as a share of those of the look-up table."""
    return f"{trained_values(record) / record['lookup_values']:.1%}"


def total_values(record: Record) -> str:
    """Write the trained values of the whole model, where the record has them."""
    values = record.get("total_values")
    return "" if values is None else f"{values:,}"


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
    machines = _distinct(_machine(record["hardware"]) for record in records)
    commits = _distinct(record["commit"][:12] for record in records)
    updates = sorted({record["updates"] for record in records})
    remarks = [f"SacreBLEU: {_distinct(test['signature'] for test in tests)}"]
    if sets := _distinct(test["test_set"] for test in tests if test.get("test_set")):
        remarks.append(f"Test set: SacreBLEU's {sets}.")
    split = [test["compound_split"] for test in tests if test.get("compound_split")]
    if split:
        remarks.append(
            "Split BLEU: tokenised, hyphenated compounds split, for comparison with"
            f" older papers only: {_distinct(entry['signature'] for entry in split)}"
        )
    remarks.append(describe_test(table))
    remarks.append(f"Updates: {', '.join(f'{update:,}' for update in updates)}.")
    remarks.append(f"Hardware: {machines}. Commit: {commits}.")
    return remarks + describe_differences(records)


def describe_test(table: Table) -> str:
    """Say how significance was tested, or why it was not.

    Args:
        table: The table.

    Returns:
        One line.
    """
    if table.comparisons:
        signatures = _distinct(entry["signature"] for entry in table.comparisons)
        return f"p: paired approximate randomisation, one a seed: {signatures}"
    if any(map(_checksum, table.records)):
        return "No test of significance: nothing to compare, or not compared since."
    return "No test of significance: the translations were not kept."


def describe_differences(records: list[Record]) -> list[str]:
    """Say what makes rows incomparable.

    Args:
        records: All records of the table.

    Returns:
        One text a line, none where all is well.
    """
    remarks = []
    if len({record["updates"] for record in records}) > 1:
        remarks.append("Rows differ in their number of updates: do not compare them.")
    if len({json.dumps(record["data"], sort_keys=True) for record in records}) > 1:
        remarks.append("Rows differ in their data: do not compare them.")
    if any(record["dirty"] for record in records):
        remarks.append("Made with changes that are in no commit: not for publication.")
    return remarks


def _distinct(texts: Any) -> str:
    return ", ".join(sorted(set(texts)))


def _machine(hardware: dict[str, Any]) -> str:
    gpu = f", {hardware['gpu']}" if hardware["gpu"] else ""
    return f"{hardware['cpu']}, {hardware['cores']} cores{gpu}"


def make_table(records: list[Record], comparisons: list[Record] | None = None) -> str:
    """Make the table of an experiment.

    Args:
        records: Its records, in any order.
        comparisons: What scripts/compare_results.py made of them.

    Returns:
        Markdown, remarks included, with a line feed at the end.
    """
    table = Table(records, current(comparisons or [], records))
    groups = group_by_row(records)
    columns = [
        [name, *cells]
        for name, write in COLUMNS.items()
        if any(cells := [write(table, group) for group in groups])
    ]
    for number, column in enumerate(columns):
        width = max(map(len, column))
        pad = str.ljust if number < LEFT_ALIGNED else str.rjust
        column[:] = [pad(text, width) for text in column]
        column.insert(1, "-" * width)
    rows = "\n".join(f"| {' | '.join(cells)} |" for cells in zip(*columns, strict=True))
    return f"{rows}\n\n" + "  \n".join(format_remarks(table)) + "\n"


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
