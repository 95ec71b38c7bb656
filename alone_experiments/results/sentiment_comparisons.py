"""Paired tests of classifiers of reviews."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

from alone_experiments.evaluation.paired_means import SIGNATURE, compare_means
from alone_experiments.results.comparisons import pairs
from alone_experiments.results.result_files import (
    Record,
    read_comparisons,
    read_kept,
    read_records,
)
from alone_experiments.results.sentiment_results import checksum_of_answers


def compare_answers(folder: Path) -> list[Record]:
    """Test whether classifiers differ, by which reviews each tells rightly.

    Args:
        folder: Folder of the records.

    Returns:
        One entry a pair of runs on the same reviews.

    Raises:
        Mistake: If kept answers are not those of the records.
    """
    known = {_key(entry): entry for entry in read_comparisons(folder)}
    found = []
    for record, baseline in pairs(read_records(folder)):
        if _tested_on(record) != _tested_on(baseline):
            rows = f"{record['row']} and {baseline['row']}"
            print(f"    not compared, other reviews: {rows}", file=sys.stderr)
            continue
        entry = {
            "row": record["row"],
            "baseline": baseline["row"],
            "seed": record["seed"],
            "answers": [checksum_of_answers(run) for run in (record, baseline)],
            "signature": SIGNATURE,
        }
        if _key(entry) not in known:
            system, other = (
                {"accuracy": _answers(run, folder)} for run in (record, baseline)
            )
            entry |= asdict(compare_means(system, other)["accuracy"])
            print(f"    {_describe(entry)}", file=sys.stderr, flush=True)
        found.append(known.get(_key(entry), entry))
    return found


def _tested_on(record: Record) -> tuple[object, ...]:
    return record["data"], record["test"]["reviews"]


def _answers(record: Record, folder: Path) -> list[float]:
    return [float(line) for line in read_kept(record["test"]["right"], folder)]


def _key(entry: Record) -> tuple[str, ...]:
    named = (entry["row"], entry["baseline"], entry["signature"])
    return (*named, *entry.get("answers", ()))


def _describe(entry: Record) -> str:
    return (
        f"{entry['row']} against {entry['baseline']}, seed {entry['seed']}: accuracy"
        f" {100 * entry['difference']:+.2f}, p = {entry['p_value']:.4f}"
    )
