"""What a record keeps of headlines: scores, lengths, and the headlines themselves.

A record has one entry a desired length, by its folder below the run's ``test``: ``75``,
or ``gigaword/75`` on another test set than the experiment's first.
"""

from __future__ import annotations

import json
from pathlib import Path

from alone_experiments.lines import sha256
from alone_experiments.results.result_files import Record, read_kept, write_translations

METRICS = ("ROUGE-1", "ROUGE-2", "ROUGE-L")


def is_headline_record(record: Record) -> bool:
    """Whether a record is of headlines, not of translations."""
    return "rouge" in record["test"]


def read_rouge(test: Path, name: str, beside: Path) -> Record:
    """Read the scores of a desired length, and keep its headlines beside the record.

    Args:
        test: Folder written by scripts/evaluate.sh.
        name: Folder below it, such as ``75``.
        beside: File of the record.

    Returns:
        What ``alone-fairseq rouge`` said, and under ``headlines`` name and checksum of
        the file of headlines.
    """
    found: Record = json.loads((test / name / "rouge.json").read_text())
    file = beside.with_suffix(f".{name.replace('/', '-')}.tsv.gz")
    scores, headlines = (
        (test / name / kind).read_bytes().decode().removesuffix("\n").split("\n")
        for kind in ("lines.tsv", "headlines.txt")
    )
    lines = join_lines(scores, headlines, found["reported"])
    return {**found, "headlines": write_translations(lines, file)}


def join_lines(scores: list[str], headlines: list[str], reported: str) -> list[str]:
    """Put each headline behind the scores of it that papers report.

    Args:
        scores: What ``alone-fairseq rouge --per-line`` wrote, header included.
        headlines: One a line, as they were scored.
        reported: The kind of score, such as ``f1``.

    Returns:
        A header and one line a headline; fields are separated by tabs.
    """
    names, *rows = (line.split("\t") for line in scores)
    columns = [names.index(f"{metric}-{reported}") for metric in METRICS]
    joined = (
        "\t".join([*(row[column] for column in columns), headline])
        for row, headline in zip(rows, headlines, strict=True)
    )
    return ["\t".join([*METRICS, "headline"]), *joined]


def scores_of_lines(record: Record, name: str, folder: Path) -> dict[str, list[float]]:
    """Read what each headline of a run scored.

    Args:
        record: The run.
        name: The desired length, as the record names it.
        folder: Folder of the record.

    Returns:
        By metric one score a line, in [0, 1].

    Raises:
        ValueError: If the file is missing or not the record's.
    """
    _, *rows = read_kept(record["test"]["rouge"][name]["headlines"], folder)
    fields = [row.split("\t", maxsplit=len(METRICS)) for row in rows]
    return {
        metric: [float(row[column]) for row in fields]
        for column, metric in enumerate(METRICS)
    }


def checksums_of_test_sets(folders: list[Path]) -> dict[str, str]:
    """Compute the SHA-256 of the raw text of test sets that are corpora of their own.

    Args:
        folders: Their folders.

    Returns:
        Checksums by name of folder and file.
    """
    return {
        f"{folder.name}/raw/{file.name}": sha256(file)
        for folder in folders
        for file in sorted(folder.glob("raw/test.*"))
    }


def by_name(name: str) -> tuple[str, int]:
    """Sort the names of desired lengths: by test set, then by length."""
    test_set, _, length = name.rpartition("/")
    return test_set, int(length)


def test_names(records: list[Record]) -> list[str]:
    """Name all desired lengths of the records."""
    return sorted(
        {n for record in records for n in record["test"]["rouge"]}, key=by_name
    )
