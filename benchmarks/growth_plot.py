"""The plot of cost against the size of the vocabulary."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from alone_experiments.results.figures import new_figure, save

PANELS = {
    "trained_values": "trained values",
    "stored_bytes": "stored bytes",
    "resident_bytes": "resident bytes (parameters, filters)",
    "table": "table, forward and backward (s)",
    "input_step": "input side alone, look up and train (s)",
    "input_step_peak": "input side alone, peak memory (bytes)",
    "training_step": "training step of the Transformer (s)",
}
# Okabe and Ito's colours, which the colour-blind can tell apart; the shapes of the
# marks tell the lines apart where they lie on one another.
COLOURS = ("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00")
MARKS = ("o", "s", "^", "v", "D", "P")


def plot_growth(rows: list[dict[str, Any]], file: Path) -> None:
    """Draw each cost against V, both on logarithmic axes.

    Args:
        rows: The record's ``growth``.
        file: Picture to write; it appears whole or not at all.

    Raises:
        Mistake: If matplotlib is missing.
    """
    figure = new_figure(15, 7)
    for number, (name, title) in enumerate(PANELS.items(), start=1):
        axes = figure.add_subplot(
            2, 4, number, title=title, xscale="log", yscale="log", xlabel="words V"
        )
        _draw_panel(axes, rows, name)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    # In the place of the eighth panel.
    legend = figure.add_subplot(2, 4, 8)
    legend.axis("off")
    legend.legend(handles, labels, loc="center", fontsize="large", frameon=False)
    save(figure, file)


def _draw_panel(axes: Any, rows: list[dict[str, Any]], name: str) -> None:
    variants = list(dict.fromkeys(row["variant"] for row in rows))
    for place, variant in enumerate(variants):
        points = [
            (row["vocabulary"], row[name])
            for row in rows
            if row["variant"] == variant and row[name] is not None
        ]
        if points:
            axes.plot(
                *zip(*points, strict=True),
                color=COLOURS[place % len(COLOURS)],
                marker=MARKS[place % len(MARKS)],
                # Lines that coincide stay visible below one another.
                linewidth=1 + 0.9 * (len(variants) - place),
                markersize=4 + 1.5 * (len(variants) - place),
                alpha=0.85,
                label=variant,
            )
    ticks = sorted({row["vocabulary"] for row in rows})
    axes.set_xticks(ticks, [_short(tick) for tick in ticks], minor=False)
    axes.xaxis.minorticks_off()
    values = [row[name] for row in rows if row[name]]
    if values:  # whole decades, so that every panel has two numbers at least
        low, high = math.log10(min(values)), math.log10(max(values))
        axes.set_ylim(10 ** math.floor(low - 0.05), 10 ** math.ceil(high + 0.05))
    axes.grid(alpha=0.3)


def _short(words: int) -> str:
    if words >= 2**20:
        return f"{words / 2**20:g}M"
    return f"{words / 2**10:g}K" if words >= 2**10 else str(words)
