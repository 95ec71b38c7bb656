"""Tables of results for the pages: whole, or some of their rows and columns."""

from __future__ import annotations

from operator import itemgetter
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
            this order, and no remarks.

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
    lines = text.split("\n\n")[0].splitlines()
    head, _, *body = [[cell.strip() for cell in x[1:-1].split("|")] for x in lines]
    by_name = {cells[0]: cells for cells in body}
    names = rows.split(",") if rows else list(by_name)
    titles = columns.split(",") if columns else head
    for kind, asked, there in (("row", names, by_name), ("column", titles, head)):
        if missing := [name for name in asked if name not in there]:
            raise Mistake(f"the table has no {kind} {', '.join(missing)}")
    chosen = [
        Column[list[str]](
            title, itemgetter(head.index(title)), words=title == titles[0]
        )
        for title in titles
    ]
    return write_table(chosen, [by_name[name] for name in names])
