"""Tables in Markdown, made from lists of columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Column(Generic[T]):
    """A column of a table.

    Attributes:
        name: What stands above it.
        cell: Writes the cell of a row.
        words: Whether it holds words, which begin at the left, rather than numbers.
    """

    name: str
    cell: Callable[[T], str]
    words: bool = False


def write_table(
    columns: Sequence[Column[T]],
    rows: Sequence[T],
    last: Sequence[Mapping[str, str]] = (),
) -> str:
    """Lay out a table; columns that are empty in every row are left out.

    Args:
        columns: The columns, from the left.
        rows: What their cells are written from.
        last: Cells of further rows by the name of their column.

    Returns:
        The table without a line feed at the end.
    """
    laid_out = []
    for column in columns:
        cells = [column.cell(row) for row in rows]
        cells += [cells_of_row.get(column.name, "") for cells_of_row in last]
        if any(cells):
            width = max(map(len, (column.name, *cells)))
            pad = str.ljust if column.words else str.rjust
            name, *padded = (pad(text, width) for text in (column.name, *cells))
            laid_out.append([name, "-" * width, *padded])
    return "\n".join(f"| {' | '.join(line)} |" for line in zip(*laid_out, strict=True))
