"""Reading the results of an experiment: one record a run, and what compares them.

The fields are described in results/README.md.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

from alone_experiments.files import writing
from alone_experiments.lines import read_lines
from alone_experiments.mistakes import Mistake

Record = dict[str, Any]

Group = list[Record]
"""The runs of a row, one a seed."""

COMPARISONS = "significance.json"
_REMEDY = "name a folder of records, such as results/multi30k"


def read_records(folder: Path) -> list[Record]:
    """Read the records of a folder.

    Args:
        folder: Folder with one JSON file a run.

    Returns:
        The records in the order of their file names.

    Raises:
        Mistake: If there are none, or a file is damaged or no record.
    """
    if not folder.is_dir():
        raise Mistake(f"{folder}: no such folder; {_REMEDY}")
    files = sorted(file for file in folder.glob("*.json") if file.name != COMPARISONS)
    if not files:
        raise Mistake(f"{folder} holds no records; {_REMEDY}")
    return [_read_record(file) for file in files]


def _read_record(file: Path) -> Record:
    record = read_json(file)
    if not (isinstance(record, dict) and {"experiment", "row"} <= record.keys()):
        raise Mistake(f"{file} is no record of a run; {_REMEDY}")
    return record


def read_comparisons(folder: Path) -> list[Record]:
    """Read what ``compare_results`` wrote.

    Args:
        folder: Folder of an experiment's results.

    Returns:
        The comparisons; none where no file is.

    Raises:
        Mistake: If the file is damaged.
    """
    file = folder / COMPARISONS
    found: list[Record] = read_json(file)["comparisons"] if file.exists() else []
    return found


def read_json(file: Path) -> Any:
    """Read a JSON file.

    Raises:
        Mistake: If it is damaged.
    """
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Mistake(f"{file} is damaged ({error}): make it again") from error


def group_by_row(records: list[Record]) -> list[Group]:
    """Put the seeds of a row together, the row with the most trained values first."""
    rows: dict[str, list[Record]] = {}
    for record in records:
        rows.setdefault(record["row"], []).append(record)
    return sorted(
        rows.values(),
        key=lambda group: (-trained_values(group[0]), group[0]["row"]),
    )


def trained_values(record: Record) -> int:
    """Read how many values of the embeddings are trained."""
    values: int = record["footprint"]["trained_values"]
    return values


def write_translations(lines: list[str], file: Path) -> dict[str, str]:
    """Keep the scored translations of a run, compressed.

    Args:
        lines: Detokenised translations, one a sentence.
        file: File to write, the same bytes for the same translations.

    Returns:
        ``file`` (its name) and ``sha256`` (of the text) for the record.
    """
    text = _text_of(lines)
    with writing(file) as opened:
        opened.write(gzip.compress(text, mtime=0))
    return {"file": file.name, "sha256": hashlib.sha256(text).hexdigest()}


def read_translations(record: Record, folder: Path) -> list[str] | None:
    """Read the translations that a run was scored with.

    Args:
        record: The run.
        folder: Folder of the record.

    Returns:
        One a sentence; ``None`` if the record keeps none.

    Raises:
        Mistake: If they are missing or not those of the record.
    """
    kept = record["test"].get("translations")
    return None if kept is None else read_kept(kept, folder)


def read_kept(kept: dict[str, str], folder: Path) -> list[str]:
    """Read what :func:`write_translations` wrote.

    Args:
        kept: What it returned.
        folder: Folder of the file.

    Returns:
        The lines.

    Raises:
        Mistake: If they are missing or not those of the record.
    """
    file = folder / kept["file"]
    lines = read_lines(file, "\n") if file.is_file() else []
    if hashlib.sha256(_text_of(lines)).hexdigest() != kept["sha256"]:
        raise Mistake(f"{file} is missing, or not what was scored: evaluate again")
    return lines


def _text_of(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
