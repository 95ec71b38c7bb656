"""Plot how well word vectors are reconstructed against the size of the network."""

from __future__ import annotations

from pathlib import Path
from statistics import mean, stdev
from typing import Any

from alone_experiments.results.figures import new_figure, save
from alone_experiments.results.line_styles import styles
from alone_experiments.results.reconstruction_table import (
    SETS,
    group,
    row_of,
    set_names,
)
from alone_experiments.results.result_files import Group, Record


def plot(records: list[Record], file: Path) -> bool:
    """Draw correlation against inner size, a panel for each test set.

    Takase and Kobayashi (2020), Figure 3.

    Args:
        records: The results of the experiment.
        file: Picture to write; it appears whole or not at all.

    Returns:
        Whether there was something to draw: a row without words kept back.

    Raises:
        Mistake: If matplotlib is missing.
    """
    names, groups = set_names(records), group(records, held_out=False)
    if not groups:
        return False
    figure = new_figure(3.4 * len(names), 3.8)
    panels = figure.subplots(1, len(names), squeeze=False)[0]
    for axes, name in zip(panels, names, strict=True):
        _draw_panel(axes, groups, name)
    panels[0].set_ylabel("Spearman's rho")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    save(figure, file)
    return True


def _draw_panel(axes: Any, groups: list[Group], name: str) -> None:
    lines: dict[str, list[tuple[int, float, float]]] = {}
    for runs in groups:
        values = [run["similarity"][name]["rho"] for run in runs]
        if None not in values:
            deviation = stdev(values) if len(values) > 1 else 0.0
            point = (row_of(runs[0]).size, mean(values), deviation)
            lines.setdefault(row_of(runs[0]).label, []).append(point)
    rows = [row_of(runs[0]) for runs in groups]
    looks = styles({r.label: "alone" if r.is_alone else r.method for r in rows})
    for text, points in sorted(lines.items()):
        sizes, means, deviations = zip(*points, strict=True)
        axes.errorbar(sizes, means, deviations, label=text, capsize=3, **looks[text])
    source = groups[0][0]["similarity"][name]["source_rho"]
    if source is not None:
        axes.axhline(source, color="black", linestyle="--", label="source vectors")
    axes.set_title(SETS.get(name, name))
    axes.set_xlabel("inner size H")
    axes.set_xticks(sorted({row_of(runs[0]).size for runs in groups}))
    axes.grid(alpha=0.3)
