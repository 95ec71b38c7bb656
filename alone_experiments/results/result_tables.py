"""Tables of results for the pages: whole, or some of their rows and columns."""

from __future__ import annotations

from pathlib import Path

from alone_experiments.mistakes import Mistake
from alone_experiments.results.make_table import make_table
from alone_experiments.results.reconstruction_table import (
    held_out_table,
    main_table,
    remarks,
)
from alone_experiments.results.result_files import read_comparisons, read_records
from alone_experiments.results.table_parts import align


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
        Mistake: If there is no such row or column.
        ValueError: If the folder has no records, or one is damaged.
    """
    text = _whole(root / folder)
    wanted = dict(choice.split("=", 1) for choice in choices)
    if unknown := set(wanted) - {"rows", "columns"}:
        raise Mistake(f"unknown choice {', '.join(sorted(unknown))}")
    return choose(text, **wanted) if wanted else text


def _whole(folder: Path) -> str:
    records = read_records(folder)
    if records[0]["experiment"] == "reconstruction":
        tables = [t for t in (main_table(records), held_out_table(records)) if t]
        laid_out = [align([list(c) for c in zip(*t, strict=True)], 1) for t in tables]
        return "\n\n".join([*laid_out, "  \n".join(remarks(records))])
    return make_table(records, read_comparisons(folder))


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
    places = [head.index(title) for title in titles]
    return align(
        [[head[place], *(by_name[name][place] for name in names)] for place in places],
        left_aligned=1,
    )
