"""How often each value of each code is used, as Figure 3 of the paper shows it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alone_experiments.codes.balance import Balance
from alone_experiments.results.figures import new_figure, save


def draw(balance: Balance, title: str, file: Path) -> None:
    """Draw a heat map: a column a code, a row a value; columns add up to 1.

    Args:
        balance: Shares of the words.
        title: What stands above it.
        file: PNG file; it appears whole or not at all.

    Raises:
        Mistake: If matplotlib is missing.
    """
    figure = new_figure(6, 5)
    axes = figure.add_subplot(xlabel="code", ylabel="value")
    draw_on(axes, balance, title)
    save(figure, file)


def draw_on(axes: Any, balance: Balance, title: str) -> None:
    """Draw the heat map on the axes of a figure, with its colours beside it.

    Args:
        axes: Axes of matplotlib.
        balance: Shares of the words.
        title: What stands above it.
    """
    books, values = balance.shares.shape
    image = axes.imshow(
        100 * balance.shares.T,
        *("viridis", None),
        aspect="auto",
        vmin=0,
        extent=(0.5, books + 0.5, values - 0.5, -0.5),
    )
    for axis in (axes.xaxis, axes.yaxis):
        axis.get_major_locator().set_params(integer=True)
    axes.set_title(title)
    axes.figure.colorbar(image, ax=axes, label="% of the words")
