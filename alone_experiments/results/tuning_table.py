"""The trials of a grid: a line a row of an experiment, a column a setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import inf
from statistics import mean
from typing import Any

from alone_experiments.results.cells import distinct, name_commits
from alone_experiments.results.columns import Column, write_table

Trial = Mapping[str, Any]
Trials = list[Trial]


def is_trial(record: Trial) -> bool:
    """Tell whether a record is of the ``tune`` command."""
    return "is_the_rows" in record


def tuning_table(records: Sequence[Trial]) -> str:
    """Lay out the trials.

    Args:
        records: What the ``tune`` command wrote.

    Returns:
        The perplexity on the validation set at the end of the training, the mean of all
        seeds, by row and setting, the lowest of a row in bold, ``diverged`` where one
        seed did, beside the setting that the row's own file has, where it was tried;
        then updates, seeds and commit. Each trial has a line of its own where settings
        of several flags would make long heads, or where rows have so few settings in
        common that half of the cells or more would be empty.
    """
    rows: dict[str, Trials] = {}
    for record in records:
        name = f"{record['experiment']}/{record['row']}"
        rows.setdefault(name, []).append(record)
    settings = sorted(
        {_setting(record): record for record in records}.items(), key=_order
    )
    tried = {(row, _setting(each)) for row, trials in rows.items() for each in trials}
    several_flags = any(len(record["setting"]) > 1 for record in records)
    if several_flags or 2 * len(tried) <= len(rows) * len(settings):
        lines = [(row, s) for row in rows for s, _ in settings if (row, s) in tried]
        table = _line_a_trial(rows, lines)
    else:
        columns = [Column[str]("row", str, words=True)]
        columns += [Column(name, partial(_cell, rows, name)) for name, _ in settings]
        if any(record["is_the_rows"] for record in records):
            columns.insert(1, Column("own setting", partial(_own, rows), words=True))
        table = write_table(columns, list(rows))
    updates = distinct(f"{record['updates']:,}" for record in records)
    seeds = distinct(str(record["seed"]) for record in records)
    said = "Perplexity on the validation set at the end; bold: a row's lowest."
    said += f" Updates: {updates}; seed: {seeds}. {name_commits(records)}."
    return f"{table}\n\n{said}\n"


def _line_a_trial(rows: Mapping[str, Trials], lines: Sequence[tuple[str, str]]) -> str:
    def own(line: tuple[str, str]) -> str:
        row, setting = line
        found = (r["is_the_rows"] for r in rows[row] if _setting(r) == setting)
        return "yes" if any(found) else ""

    columns = [
        Column[tuple[str, str]]("row", lambda line: line[0], words=True),
        Column("setting", lambda line: line[1], words=True),
        Column("own", own, words=True),
        Column("perplexity", lambda line: _cell(rows, line[1], line[0])),
    ]
    return write_table(columns, lines)


def _setting(record: Trial) -> str:
    return ", ".join(f"{flag} {value}" for flag, value in record["setting"].items())


def _own(rows: Mapping[str, Trials], row: str) -> str:
    return distinct(_setting(record) for record in rows[row] if record["is_the_rows"])


def _order(named: tuple[str, Trial]) -> list[tuple[str, float, str]]:
    return [
        (flag, _number(value), value) for flag, value in named[1]["setting"].items()
    ]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return inf


def _cell(rows: Mapping[str, Trials], setting: str, row: str) -> str:
    value = _perplexity(rows[row], setting)
    if value is None:
        return ""
    if value == inf:
        return "diverged"
    tried = {_setting(record) for record in rows[row]}
    others = [_perplexity(rows[row], other) for other in tried]
    # A lone trial is the lowest of nothing.
    best = len(tried) > 1 and value == min(each for each in others if each is not None)
    return f"**{value:.2f}**" if best else f"{value:.2f}"


def _perplexity(trials: Trials, setting: str) -> float | None:
    found = [
        # Those before the divergence are no result of the setting.
        inf if record.get("diverged") else record["valid"]["ppl"][-1][1]
        for record in trials
        if _setting(record) == setting
    ]
    return mean(found) if found else None
