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


def save(figure: Any, file: Path) -> None:
    """Write a figure; it appears whole or not at all.

    Args:
        figure: The figure.
        file: PNG file.
    """
    with writing(file) as opened:
        figure.savefig(opened, format="png", dpi=150)
