"""Tables of the campaign that tries to break the project, from its records."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from alone_experiments.mistakes import Mistake
from alone_experiments.results.result_files import read_json


def trust(root: Path, part: str, *columns: str) -> str:
    """Make the table of one part of the campaign.

    Args:
        root: Folder with ``results/trust``.
        part: Name of the part, and of its record.
        columns: Fields of the record's rows, in this order; all where there are none.

    Returns:
        The table, and a line that says how much was run, when and of what.

    Raises:
        Mistake: If there is no record of that part.
    """
    record = _record(root, part)
    rows = record["rows"]
    names = list(columns) or list(rows[0])
    lines = [_line(names), _line(["---", *["---:"] * (len(names) - 1)])]
    lines += [_line([_cell(row.get(name, "")) for name in names]) for row in rows]
    dirty = " with changes" if record["dirty"] else ""
    lines += [
        "",
        f"Failures: {len(record['failures'])}. Made by `{' '.join(record['command'])}`,"
        f" seed {record['seed']} ({record['created'][:10]}, commit"
        f" {record['commit'][:7]}{dirty}, torch {record['versions']['torch']}).",
    ]
    return "\n".join(lines)


def trust_total(root: Path, part: str, column: str | None = None) -> str:
    """Add up a column of a part's table, or count its rows.

    Args:
        root: Folder with ``results/trust``.
        part: Name of the part.
        column: Field of its rows, a number; without one the rows are counted.
    """
    rows = _record(root, part)["rows"]
    return f"{sum(1 if column is None else row[column] for row in rows):,}"


def _record(root: Path, part: str) -> dict[str, Any]:
    file = root / "results" / "trust" / f"{part}.json"
    if not file.is_file():
        raise Mistake(f"no {file}: run bash scripts/trust.sh --parts {part}")
    found: dict[str, Any] = read_json(file)
    return found


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: object) -> str:
    text = f"{value:,}" if isinstance(value, int) else str(value)
    return text.replace("|", "\\|").replace("\n", " ")
