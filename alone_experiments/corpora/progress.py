"""Progress bars."""

from __future__ import annotations

from tqdm import tqdm


def line_bar(total: int | None, name: str, shown: bool = True) -> tqdm:
    """Open a bar that counts lines."""
    return tqdm(
        total=total,
        desc=name,
        unit=" lines",
        unit_scale=True,
        leave=False,
        disable=not shown,
    )


def byte_bar(total: int | None, name: str, done: int = 0) -> tqdm:
    """Open a bar that counts bytes."""
    return tqdm(
        total=total,
        initial=done,
        desc=name,
        unit="B",
        unit_scale=True,
        leave=False,
    )
