"""Draw how evenly codes are used: a heat map for each size of codes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from alone_experiments.codes.balance import Balance
from alone_experiments.codes.heat_map import draw_on
from alone_experiments.results.codes_results import group_by_shape
from alone_experiments.results.figures import new_figure, save
from alone_experiments.results.result_files import Record


def plot(records: list[Record], file: Path) -> bool:
    """Draw the first seed of each size: columns by M, rows by K.

    Shu and Nakayama (2018), Figure 3.

    Args:
        records: Records of ``codes learn``.
        file: Picture to write; it appears whole or not at all.

    Returns:
        Whether there was something to draw: older records have no counts.

    Raises:
        Mistake: If matplotlib is missing.
    """
    groups = group_by_shape([r for r in records if "counts" in r["balance"]])
    if not groups:
        return False
    across, down = (sorted({shape[i] for shape in groups}) for i in range(2))
    figure = new_figure(1 + 2.6 * len(across), 0.8 + 2.4 * len(down))
    panels = figure.subplots(len(down), len(across), squeeze=False)
    for row, values in zip(panels, down, strict=True):
        for axes, codebooks in zip(row, across, strict=True):
            runs = [g for shape, g in groups.items() if shape == (codebooks, values)]
            if not runs:
                axes.set_visible(False)
                continue
            lines = runs[0][0]["balance"]["counts"]
            balance = Balance(np.array([[*map(int, line.split())] for line in lines]))
            draw_on(axes, balance, f"{codebooks}x{values}")
            axes.set(xlabel="code", ylabel="value")
    save(figure, file)
    return True
