"""What plots share: the look of a figure, and writing it whole."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any


def new_figure(width: float, height: float) -> Any:
    """Make an empty figure.

    Args:
        width: In inches.
        height: In inches.

    Returns:
        A figure of matplotlib.

    Raises:
        ValueError: If matplotlib is missing.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ValueError("plots need matplotlib: run bash scripts/setup.sh") from error
    return Figure(figsize=(width, height), layout="constrained")


def use_colours(axes: Any, lines: int) -> None:
    """Give each of several lines a colour of its own, as far as there are colours."""
    from matplotlib import colormaps

    axes.set_prop_cycle(color=colormaps["tab10" if lines <= 10 else "tab20"].colors)


def save(figure: Any, file: Path) -> None:
    """Write a figure; it appears whole or not at all.

    Args:
        figure: The figure.
        file: PNG file.
    """
    partial = file.with_suffix(".partial")
    figure.savefig(partial, format="png", dpi=150)
    os.replace(partial, file)
