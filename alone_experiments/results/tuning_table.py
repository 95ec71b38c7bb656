"""What the trials of a grid came to: one line a row of an experiment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from alone_experiments.results.columns import Column, write_table


@dataclass(frozen=True)
class RowTrials:
    """The trials of a row, in the order of the validation loss they end at.

    Attributes:
        row: Name of the row.
        records: What the ``tune`` command wrote, at least one.
    """

    row: str
    records: list[Mapping[str, Any]]


def is_trial(record: Mapping[str, Any]) -> bool:
    """Tell whether a record is of the ``tune`` command."""
    return "is_the_rows" in record


def tuning_table(records: Iterable[Mapping[str, Any]]) -> str:
    """Lay out the trials, one line a row and seed.

    Args:
        records: What the ``tune`` command wrote.

    Returns:
        The best setting of each row, its perplexity on the validation set at the end of
        the training, that of the row's own setting, and the spread of the trials; then
        what was tried.
    """
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for record in records:
        name = f"{record['experiment']}/{record['row']}"
        groups.setdefault(name, []).append(record)
    rows = [
        RowTrials(name, sorted(group, key=_last_loss)) for name, group in groups.items()
    ]
    columns = [
        Column[RowTrials]("row", lambda row: row.row, words=True),
        Column[RowTrials]("trials", lambda row: str(len(row.records))),
        Column[RowTrials]("best", lambda row: _setting(row.records[0]), words=True),
        Column[RowTrials]("perplexity", lambda row: _perplexity(row.records[0])),
        Column[RowTrials]("of the row's own setting", _own),
        Column[RowTrials]("second best", lambda row: _ranked(row, 1)),
        Column[RowTrials]("worst", lambda row: _ranked(row, -1)),
    ]
    tried = [_tried(row) for row in rows]
    return "\n".join([write_table(columns, rows), "", *dict.fromkeys(tried), ""])


def _last_loss(record: Mapping[str, Any]) -> float:
    loss: float = record["valid"]["loss"][-1][1]
    return loss


def _perplexity(record: Mapping[str, Any]) -> str:
    return f"{record['valid']['ppl'][-1][1]:.2f}"


def _setting(record: Mapping[str, Any]) -> str:
    return ", ".join(f"{flag} {value}" for flag, value in record["setting"].items())


def _own(row: RowTrials) -> str:
    own = [record for record in row.records if record["is_the_rows"]]
    return _perplexity(own[0]) if own else ""


def _ranked(row: RowTrials, place: int) -> str:
    return _perplexity(row.records[place]) if len(row.records) > 1 else ""


def _tried(row: RowTrials) -> str:
    values: dict[str, dict[str, None]] = {}
    for record in row.records:
        for flag, value in record["setting"].items():
            values.setdefault(flag, {})[value] = None
    grid = "; ".join(
        f"{flag} {', '.join(sorted(found, key=_number))}"
        for flag, found in values.items()
    )
    updates = {record["updates"] for record in row.records}
    seeds = {record["seed"] for record in row.records}
    return (
        f"Grid: {grid}. Updates: {_list(updates)}; seed: {_list(seeds)}."
        f" Commit: {', '.join(sorted({r['commit'][:7] for r in row.records}))}."
    )


def _list(numbers: set[int]) -> str:
    return ", ".join(f"{number:,}" for number in sorted(numbers))


def _number(text: str) -> tuple[float, str]:
    try:
        return float(text), text
    except ValueError:
        return float("inf"), text
