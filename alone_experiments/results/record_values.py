"""Single numbers of records, for sentences of the pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alone_experiments.results.result_files import read_json, read_records


def value(root: Path, file: str, path: str, form: str = "") -> str:
    """Write one number of a record.

    Args:
        root: Folder that ``file`` is in.
        file: Such as ``results/toy/lookup--seed1.json``.
        path: Keys from the outermost in, separated by dots, such as ``test.bleu``.
        form: How to write it, as in Python's ``format``, such as ``.1f``.

    Raises:
        KeyError: If the record has no such field.
    """
    found: Any = read_json(root / file)
    for key in path.split("."):
        found = found[int(key) if isinstance(found, list) else key]
    return format(found, form)


def minutes(root: Path, folder: str) -> str:
    """Write how long the runs of an experiment took to train, such as ``8 to 23``.

    Args:
        root: Folder that ``folder`` is in.
        folder: Such as ``results/toy``.
    """
    runs = read_records(root / folder)
    taken = [(run.get("train_seconds") or run["seconds"]) / 60 for run in runs]
    return " to ".join(dict.fromkeys(f"{t:.0f}" for t in (min(taken), max(taken))))
