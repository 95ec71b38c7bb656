"""Tests of whether the rows of an experiment differ."""

from __future__ import annotations

import logging
import sys
from dataclasses import asdict
from pathlib import Path

from alone_experiments.evaluation.significance import compare
from alone_experiments.files import write_json
from alone_experiments.lines import read_lines, sha256
from alone_experiments.mistakes import Mistake
from alone_experiments.results.comparisons import pairs
from alone_experiments.results.headline_comparisons import compare_headlines
from alone_experiments.results.headline_results import is_headline_record
from alone_experiments.results.result_files import (
    COMPARISONS,
    Record,
    read_comparisons,
    read_records,
    read_translations,
)
from alone_experiments.results.sentiment_comparisons import compare_answers


def describe_pair(record: Record, baseline: Record) -> Record:
    """Name a pair of runs and the translations that are compared."""
    return {
        "row": record["row"],
        "baseline": baseline["row"],
        "seed": record["seed"],
        "translations": [
            run["test"]["translations"]["sha256"] for run in (record, baseline)
        ],
    }


def scored_with(reference: Path, records: list[Record]) -> list[Record]:
    """Pick the runs that were scored against a reference.

    Args:
        reference: Raw reference, one sentence a line.
        records: The runs; those with another test set are named on the error stream.

    Returns:
        Those that can be compared.

    Raises:
        Mistake: If there are runs, but none with this reference.
    """
    checksum = sha256(reference)
    found = [record for record in records if checksum in record["data"].values()]
    others = ", ".join(record["row"] for record in records if record not in found)
    if others and not found:
        raise Mistake(
            f"{reference} is not the reference that {others} were scored with: prepare"
            " the same corpus, or evaluate again"
        )
    if others:
        print(f"    not compared, other test set: {others}", file=sys.stderr)
    return found


def compare_all(folder: Path, reference: Path) -> list[Record]:
    """Make the comparisons of a folder.

    Args:
        folder: Folder of an experiment's results.
        reference: Raw reference of its test set.

    Returns:
        One entry a pair of runs that both keep their translations; those that were made
        before of runs with another reference are among them.

    Raises:
        Mistake: If translations, or the reference, are not those of the records.
    """
    records = read_records(folder)
    texts = {
        (record["row"], record["seed"]): read_translations(record, folder)
        for record in records
    }
    kept = [record for record in records if texts[record["row"], record["seed"]]]
    kept = scored_with(reference, kept)
    references, checksum = read_lines(reference), sha256(reference)
    # Older entries do not name the reference.
    before = [{"reference": checksum, **old} for old in read_comparisons(folder)]
    known = {_key(entry): entry for entry in before}
    scored = {(record["row"], record["seed"]) for record in kept}
    others = set(texts) - scored
    found = [entry for entry in before if (entry["row"], entry["seed"]) in others]
    for record, baseline in pairs(kept):
        entry = describe_pair(record, baseline) | {"reference": checksum}
        if _key(entry) not in known:
            system, other = (texts[r["row"], r["seed"]] for r in (record, baseline))
            entry |= asdict(compare(system or [], other or [], references))
            print(f"    {describe(entry)}", file=sys.stderr, flush=True)
        found.append(known.get(_key(entry), entry))
    return found


def _key(entry: Record) -> tuple[str, ...]:
    names = ("row", "baseline", "reference")
    return (*(entry[name] for name in names), *entry["translations"])


def describe(entry: Record) -> str:
    """Put a comparison in words."""
    return (
        f"{entry['row']} against {entry['baseline']}, seed {entry['seed']}:"
        f" BLEU {entry['difference']:+.2f}, p = {entry['p_value']:.4f}"
    )


def compare_rows(folder: Path, reference: Path | None) -> None:
    """Write the comparisons of a folder of results beside its records.

    Args:
        folder: Such as ``results/multi30k``.
        reference: Raw reference, of translations.

    Raises:
        Mistake: If a record is damaged, or the reference is missing or another one.
    """
    # Its warnings are about how to score, which was decided before.
    logging.getLogger("sacrebleu").setLevel(logging.WARNING)
    try:
        first = read_records(folder)[0]
        if first["experiment"] == "sentiment":
            found = compare_answers(folder)
        elif is_headline_record(first):
            found = compare_headlines(folder)
        elif reference is None:
            raise Mistake("--reference is missing: raw/test.<language> of the corpus")
        else:
            found = compare_all(folder, reference)
    except KeyError as error:
        raise Mistake(f"a record in {folder} has no {error}: make it again") from error
    write_json(folder / COMPARISONS, {"comparisons": found})
