"""Plot the scores of an experiment against the bytes that its embeddings take."""

from __future__ import annotations

from pathlib import Path
from statistics import mean

from alone_experiments.results.figures import new_figure, save
from alone_experiments.results.line_styles import MARKS, colour_of
from alone_experiments.results.result_files import Group, Record, group_by_row
from alone_experiments.training.experiment import flag_value

MEBIBYTE = 2**20
LEAST = 0.01
"""MiB; what takes less, as the random table's description, is as good as nothing."""


def points(records: list[Record]) -> dict[str, list[tuple[float, float]]]:
    """Gather what is drawn.

    Args:
        records: The results of an experiment with translations.

    Returns:
        For each method its rows' MiB and BLEU, the mean of all seeds, the smallest
        first. Models without one of our methods are left out.
    """
    found: dict[str, list[tuple[float, float]]] = {}
    for group in group_by_row(records):
        if not _is_other_model(group):
            size = group[0]["footprint"]["stored_bytes"] / MEBIBYTE
            score = mean(record["test"]["bleu"] for record in group)
            found.setdefault(group[0]["method"], []).append((size, score))
    return {method: sorted(rows) for method, rows in sorted(found.items())}


def _is_other_model(group: Group) -> bool:
    return bool(group[0]["method"] == flag_value("--arch", group[0].get("command", [])))


def best_by_size(rows: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Take the best row of each size; sizes within a tenth of each other are one.

    Args:
        rows: Sizes and scores, the smallest size first.
    """
    best: list[tuple[float, float]] = []
    start = 0.0
    for size, score in rows:
        if not best or size > 1.1 * start:
            best.append((size, score))
            start = size
        elif score > best[-1][1]:
            best[-1] = (size, score)
    return best


def plot(records: list[Record], file: Path) -> bool:
    """Draw BLEU against stored bytes, a colour a method.

    A line goes through the best row of each size; the other rows are faint. What stores
    nothing is a line from side to side.

    Args:
        records: The results of one experiment with translations.
        file: Picture to write; it appears whole or not at all.

    Returns:
        Whether there was something to draw: methods of more than one size.

    Raises:
        Mistake: If matplotlib is missing.
    """
    found = points(records)
    if len({size for rows in found.values() for size, _ in rows}) < 2:
        return False
    figure = new_figure(9, 5)
    axes = figure.subplots()
    for number, (method, rows) in enumerate(found.items()):
        look = {"color": colour_of(method), "marker": MARKS[number % len(MARKS)]}
        sizes, scores = zip(*rows, strict=True)
        if max(sizes) < LEAST:
            label = f"{method}, which stores nothing"
            axes.axhline(max(scores), color=look["color"], linestyle=":", label=label)
            continue
        axes.plot(sizes, scores, linestyle="", alpha=0.25, **look)
        sizes, scores = zip(*best_by_size(rows), strict=True)
        axes.plot(sizes, scores, label=method, **look)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("MiB that the embeddings take in a checkpoint")
    axes.set_ylabel("BLEU")
    axes.set_title(f"{records[0]['experiment']}: the best row of each method and size")
    axes.grid(alpha=0.3)
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0))
    save(figure, file)
    return True
