"""Tables of results for the pages: whole, or some of their rows and columns."""

from __future__ import annotations

from itertools import chain
from operator import methodcaller
from pathlib import Path

from alone_experiments.mistakes import Mistake
from alone_experiments.results.columns import Column, write_table
from alone_experiments.results.table import make_table_of


def table(root: Path, folder: str, *choices: str) -> str:
    """Make the table of an experiment.

    Args:
        root: Folder that ``folder`` is in.
        folder: Such as ``results/toy``.
        *choices: ``rows=A,B`` and ``columns=C,D``: only these of the first table, in
            this order, and no remarks. ``against LABEL`` is a column too where the
            rows are listed below it that rows are compared with.

    Returns:
        Markdown.

    Raises:
        Mistake: If there is no such row or column, or no record.
    """
    text = make_table_of(root / folder)
    wanted = dict(choice.split("=", 1) for choice in choices)
    if unknown := set(wanted) - {"rows", "columns"}:
        raise Mistake(f"unknown choice {', '.join(sorted(unknown))}")
    return choose(text, **wanted) if wanted else text


def choose(text: str, rows: str = "", columns: str = "") -> str:
    """Take a part of the first table of a Markdown text.

    Args:
        text: The text; rows are named by their first cells.
        rows: Names, separated by commas; all if empty.
        columns: Names, separated by commas; all if empty.

    Returns:
        The smaller table.

    Raises:
        Mistake: If a row or column is not there.
    """
    tables = [part for part in text.split("\n\n") if part.startswith("|")]
    first, *others = map(_read_table, tables)
    head = list(first[0])
    by_name = {next(iter(cells.values())): cells for cells in first}
    for cells in chain.from_iterable(others):
        if label := cells.get("which is"):
            *_, score = cells.values()
            by_name[cells["row"]][f"against {label}"] = score
    names = rows.split(",") if rows else list(by_name)
    titles = columns.split(",") if columns else head
    for kind, asked, there in (
        ("row", names, by_name),
        ("column", titles, set().union(*by_name.values())),
    ):
        if missing := [name for name in asked if name not in there]:
            raise Mistake(f"the table has no {kind} {', '.join(missing)}")
    chosen = [
        Column[dict[str, str]](
            title, methodcaller("get", title, ""), words=title == titles[0]
        )
        for title in titles
    ]
    return write_table(chosen, [by_name[name] for name in names])


def _read_table(text: str) -> list[dict[str, str]]:
    head, _, *body = [
        [cell.strip() for cell in line[1:-1].split("|")] for line in text.splitlines()
    ]
    return [dict(zip(head, cells, strict=True)) for cells in body]
