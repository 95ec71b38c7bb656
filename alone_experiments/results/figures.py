"""What plots share: the look of a figure, and writing it whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alone_experiments.files import writing
from alone_experiments.mistakes import Mistake


def new_figure(width: float, height: float) -> Any:
    """Make an empty figure.

    Args:
        width: In inches.
        height: In inches.

    Returns:
        A figure of matplotlib.

    Raises:
        Mistake: If matplotlib is missing.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise Mistake("plots need matplotlib: run bash scripts/setup.sh") from error
    return Figure(figsize=(width, height), layout="constrained")


def use_colours(axes: Any, lines: int) -> None:
    """Give each of several lines a colour of its own, as far as there are colours."""
    from matplotlib import colormaps

    colours: Any = colormaps["tab10" if lines <= 10 else "tab20"]
    axes.set_prop_cycle(color=colours.colors)


def save(figure: Any, file: Path) -> None:
    """Write a figure; it appears whole or not at all.

    Args:
        figure: The figure.
        file: PNG file.
    """
    with writing(file) as opened:
        figure.savefig(opened, format="png", dpi=150)
