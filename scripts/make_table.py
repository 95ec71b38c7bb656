"""Print the table of an experiment's results, as Markdown."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from statistics import mean, stdev
from typing import Any

HEADER = (
    "row",
    "method",
    "embedding values",
    "stored bytes",
    "share of lookup",
    "BLEU",
    "training tokens/s",
    "updates",
)

Record = dict[str, Any]


def read_records(folder: Path) -> list[Record]:
    """Read the records of a folder.

    Args:
        folder: Folder with one JSON file a run.

    Returns:
        The records in the order of their file names.

    Raises:
        ValueError: If there are none, or one is damaged.
    """
    records = []
    for file in sorted(folder.glob("*.json")):
        try:
            records.append(json.loads(file.read_text(encoding="utf-8")))
        except ValueError as error:
            raise ValueError(f"{file} is damaged ({error}): make it again") from error
    if not records:
        raise ValueError(f"{folder} has no results: run scripts/reproduce.sh first")
    return records


def group_by_row(records: list[Record]) -> list[list[Record]]:
    """Put the seeds of a row together, the row with the most trained values first."""
    rows: dict[str, list[Record]] = {}
    for record in records:
        rows.setdefault(record["row"], []).append(record)
    return sorted(
        rows.values(),
        key=lambda group: (-group[0]["footprint"]["trained_values"], group[0]["row"]),
    )


def format_row(group: list[Record]) -> list[str]:
    """Put the numbers of a row in words; several seeds become mean and deviation.

    Args:
        group: The records of one row, one a seed.

    Returns:
        One text for each column of ``HEADER``.
    """
    first = group[0]
    footprint = first["footprint"]
    scores = [record["test"]["bleu"] for record in group]
    bleu = f"{mean(scores):.2f}"
    if len(scores) > 1:
        bleu += f" ± {stdev(scores):.2f} ({len(scores)} seeds)"
    speed = mean(record["train_tokens_per_second"] for record in group)
    updates = sorted({record["updates"] for record in group})
    return [
        first["row"],
        first["method"],
        f"{footprint['trained_values']:,}",
        f"{footprint['stored_bytes']:,}",
        f"{footprint['trained_values'] / first['lookup_values']:.1%}",
        bleu,
        f"{speed:,.0f}",
        ", ".join(f"{update:,}" for update in updates),
    ]


def format_remarks(records: list[Record]) -> list[str]:
    """Say below the table what all its numbers share, and where they do not.

    Args:
        records: All records of the table.

    Returns:
        One text a line.
    """
    signatures = sorted({record["test"]["signature"] for record in records})
    machines = sorted({_machine(record["hardware"]) for record in records})
    commits = sorted({record["commit"][:12] for record in records})
    remarks = [
        f"SacreBLEU: {', '.join(signatures)}",
        f"Hardware: {', '.join(machines)}. Commit: {', '.join(commits)}.",
    ]
    if len({record["updates"] for record in records}) > 1:
        remarks.append("Rows differ in their number of updates: do not compare them.")
    if len({json.dumps(record["data"], sort_keys=True) for record in records}) > 1:
        remarks.append("Rows differ in their data: do not compare them.")
    if any(record["dirty"] for record in records):
        remarks.append("Made with changes that are in no commit: not for publication.")
    return remarks


def _machine(hardware: dict[str, Any]) -> str:
    gpu = f", {hardware['gpu']}" if hardware["gpu"] else ""
    return f"{hardware['cpu']}, {hardware['cores']} cores{gpu}"


def make_table(records: list[Record]) -> str:
    """Make the table of an experiment.

    Args:
        records: Its records, in any order.

    Returns:
        Markdown, remarks included, with a line feed at the end.
    """
    rows = [list(HEADER), *map(format_row, group_by_row(records))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, ["-" * width for width in widths])
    lines = [
        " | ".join(
            text.ljust(width) if column < 2 else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    table = "\n".join(f"| {line} |" for line in lines)
    return f"{table}\n\n" + "  \n".join(format_remarks(records)) + "\n"


def main() -> None:
    """Print the table of the folder named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="such as results/multi30k")
    try:
        print(make_table(read_records(parser.parse_args().folder)), end="")
    except (ValueError, KeyError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
