"""Single numbers of records, for sentences of the pages."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import Any

from alone_experiments.results.result_files import read_json, read_records


def value(root: Path, file: str, path: str, form: str = "") -> str:
    """Write one number of a record, or its mean over several.

    Args:
        root: Folder that ``file`` is in.
        file: Such as ``results/toy/lookup--seed1.json``; with ``*`` for all seeds.
        path: Keys from the outermost in, separated by dots, such as ``test.bleu``.
        form: How to write it, as in Python's ``format``, such as ``.1f``.

    Raises:
        KeyError: If a record has no such field.
        FileNotFoundError: If there is no such record.
    """
    files = sorted(root.glob(file))
    if not files:
        raise FileNotFoundError(f"{file}: no such record")
    numbers = [_number(read_json(each), path) for each in files]
    return format(numbers[0] if len(numbers) == 1 else mean(numbers), form)


def _number(record: Any, path: str) -> Any:
    for key in path.split("."):
        record = record[int(key) if isinstance(record, list) else key]
    return record


def minutes(root: Path, folder: str) -> str:
    """Write how long the runs of an experiment took to train, such as ``8 to 23``.

    Args:
        root: Folder that ``folder`` is in.
        folder: Such as ``results/toy``.
    """
    runs = read_records(root / folder)
    taken = [(run.get("train_seconds") or run["seconds"]) / 60 for run in runs]
    return " to ".join(dict.fromkeys(f"{t:.0f}" for t in (min(taken), max(taken))))
