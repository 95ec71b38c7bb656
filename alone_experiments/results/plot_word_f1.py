"""Plot F1 of words and BLEU of sentences by frequency, one line a row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from alone_experiments.results.figures import new_figure, save
from alone_experiments.results.line_styles import COLOURS, KNOWN, MARKS, styles
from alone_experiments.results.result_files import Record
from alone_experiments.results.word_f1_table import seeds_by_row


def plot(records: list[Record], file: Path) -> bool:
    """Draw both by bin, means over seeds, a pair of panels a record.

    Args:
        records: What ``alone-fairseq word-f1 --json`` wrote.
        file: Picture to write; it appears whole or not at all.

    Returns:
        Whether there was something to draw: always.

    Raises:
        Mistake: If matplotlib is missing.
    """
    figure = new_figure(12, 4.5 * len(records))
    panels = figure.subplots(len(records), 2, squeeze=False)
    for record, (words, sentences) in zip(records, panels, strict=True):
        bins = record["bins"]
        rows = seeds_by_row(record)
        looks = looks_of([*rows])
        for name, seeds in rows.items():
            look = {**looks[name], "label": name}
            _draw(words, bins, [system["f1"] for system in seeds], look)
            _draw(sentences, bins, [system["bleu"] for system in seeds], look)
        words.set(
            title=f"{record['row']}: F1 of words (%)",
            xlabel="times the word was seen in training",
        )
        sentences.set(
            title=f"{record['row']}: BLEU",
            xlabel="times the reference's rarest word was seen in training",
        )
        for axes in (words, sentences):
            axes.grid(alpha=0.3)
        words.legend()
    save(figure, file)
    return True


def looks_of(rows: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Give rows whose names begin with a method its colour, others what is left."""
    methods = {
        row: next((m for m in KNOWN if row == m or row.startswith(f"{m}_")), "")
        for row in rows
    }
    looks = styles({row: method for row, method in methods.items() if method})
    others = [row for row, method in methods.items() if not method]
    taken = {KNOWN[method] for method in methods.values() if method}
    free = [colour for colour in COLOURS if colour not in taken] or COLOURS
    for place, row in enumerate(others):
        looks[row] = {
            "color": free[place % len(free)],
            "linestyle": ("--", ":", "-.")[place // len(free) % 3],
            "marker": MARKS[place % len(MARKS)],
        }
    return looks


def _draw(
    axes: Any,
    bins: Sequence[str],
    seeds: Sequence[Sequence[float | None]],
    look: dict[str, Any],
) -> None:
    # Missing ones leave a gap, and every bin its place on the axis.
    points = []
    for values in list(zip(*seeds, strict=True))[: len(bins)]:
        known = [value for value in values if value is not None]
        points.append(mean(known) if len(known) == len(values) else float("nan"))
    axes.plot(range(len(bins)), points, **look)
    axes.set_xticks(range(len(bins)), bins)
