"""Plot the validation losses of an experiment's results, one line a run."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from result_files import Record, group_by_row, read_records


def label(record: Record, several_seeds: bool) -> str:
    """Name a run in the legend."""
    return f"{record['row']}, seed {record['seed']}" if several_seeds else record["row"]


def plot(records: list[Record], file: Path) -> None:
    """Draw validation loss against updates.

    Args:
        records: The results of one experiment.
        file: Picture to write; it appears whole or not at all.

    Raises:
        ValueError: If matplotlib is missing.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ValueError("plots need matplotlib: run bash scripts/setup.sh") from error
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot(
        xlabel="updates",
        ylabel="validation loss (bits a token)",
        title=f"{records[0]['experiment']}: validation loss",
    )
    for group in group_by_row(records):
        for record in group:
            updates, losses = zip(*record["valid"]["loss"], strict=True)
            axes.plot(updates, losses, label=label(record, len(group) > 1))
    axes.grid(alpha=0.3)
    axes.legend()
    partial = file.with_suffix(".partial")
    figure.savefig(partial, format="png", dpi=150)
    os.replace(partial, file)


def main() -> None:
    """Plot the folder named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="such as results/multi30k")
    parser.add_argument("output", type=Path, help="PNG file to write")
    args = parser.parse_args()
    try:
        plot(read_records(args.folder), args.output)
    except (ValueError, KeyError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
