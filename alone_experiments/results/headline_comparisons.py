"""Paired tests of headlines, by the ROUGE of each that the records keep."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

from alone_experiments.evaluation.paired_means import SIGNATURE, compare_means
from alone_experiments.results.cells import have_same_data
from alone_experiments.results.comparisons import pairs
from alone_experiments.results.headline_results import scores_of_lines
from alone_experiments.results.result_files import (
    Record,
    read_comparisons,
    read_records,
)


def compare_headlines(folder: Path) -> list[Record]:
    """Make the comparisons of a folder of headline results.

    Args:
        folder: Folder of an experiment's results.

    Returns:
        One entry a pair of runs and desired length, of those that keep their headlines
        and were scored on the same test set in the same way.

    Raises:
        Mistake: If kept headlines are not those of the records.
    """
    known = {key(entry): entry for entry in read_comparisons(folder)}
    found = []
    for record, baseline in pairs(read_records(folder)):
        for name in record["test"]["rouge"]:
            if not _comparable(record, baseline, name):
                continue
            entry = describe_pair(record, baseline, name)
            if key(entry) not in known:
                system, other = (
                    scores_of_lines(run, name, folder) for run in (record, baseline)
                )
                compared = compare_means(system, other)
                entry["metrics"] = {m: asdict(result) for m, result in compared.items()}
                print(f"    {describe(entry)}", file=sys.stderr, flush=True)
            found.append(known.get(key(entry), entry))
    return found


def _comparable(record: Record, baseline: Record, name: str) -> bool:
    one, other = (run["test"]["rouge"].get(name, {}) for run in (record, baseline))
    if "headlines" not in one or "headlines" not in other:
        return False
    same = have_same_data([record, baseline])
    if not same or one["signature"] != other["signature"]:
        rows = f"{record['row']} and {baseline['row']}"
        print(f"    not compared, other data or scoring: {rows}", file=sys.stderr)
        return False
    return True


def describe_pair(record: Record, baseline: Record, name: str) -> Record:
    """Name a pair of runs, the desired length, and the headlines that are compared."""
    return {
        "row": record["row"],
        "baseline": baseline["row"],
        "seed": record["seed"],
        "length": name,
        "headlines": [
            run["test"]["rouge"][name]["headlines"]["sha256"]
            for run in (record, baseline)
        ],
        "signature": SIGNATURE,
    }


def key(entry: Record) -> tuple[str, ...]:
    """Tell a comparison from all others; ``()`` for one of another kind."""
    if "headlines" not in entry:
        return ()
    names = ("row", "baseline", "length", "signature")
    return (*(entry[name] for name in names), *entry["headlines"])


def describe(entry: Record) -> str:
    """Put a comparison in words."""
    results = ", ".join(
        f"{metric} {100 * found['difference']:+.2f} (p = {found['p_value']:.4f})"
        for metric, found in entry["metrics"].items()
    )
    return (
        f"{entry['row']} against {entry['baseline']}, seed {entry['seed']}, desired"
        f" length {entry['length']}: {results}"
    )
