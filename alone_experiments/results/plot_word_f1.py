"""Plot F1 of words and BLEU of sentences by frequency, one line a system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alone_experiments.results.figures import new_figure, save
from alone_experiments.results.line_styles import COLOURS, MARKS

if TYPE_CHECKING:
    from alone_experiments.evaluation.word_f1_command import System


def plot(bins: Sequence[str], systems: Mapping[str, System], file: Path) -> None:
    """Draw both by bin.

    Args:
        bins: Names of the bins.
        systems: Scores by the names of the systems.
        file: Picture to write; it appears whole or not at all.

    Raises:
        Mistake: If matplotlib is missing.
    """
    figure = new_figure(12, 4.5)
    words, sentences = figure.subplots(1, 2)
    for place, (name, system) in enumerate(systems.items()):
        look = {
            "color": COLOURS[place % len(COLOURS)],
            "marker": MARKS[place % len(MARKS)],
            "label": name,
        }
        _draw(words, bins, [100 * score.f1 for score in system.words], look)
        _draw(sentences, bins, system.bleu, look)
    words.set(title="F1 of words (%)", xlabel="times the word was seen in training")
    sentences.set(
        title="BLEU", xlabel="times the reference's rarest word was seen in training"
    )
    for axes in (words, sentences):
        axes.grid(alpha=0.3)
    words.legend()
    save(figure, file)


def _draw(
    axes: Any, bins: Sequence[str], values: Sequence[float | None], look: dict[str, Any]
) -> None:
    # Missing ones leave a gap, and every bin its place on the axis.
    points = [float("nan") if value is None else value for value in values]
    axes.plot(range(len(bins)), points, **look)
    axes.set_xticks(range(len(bins)), bins)
