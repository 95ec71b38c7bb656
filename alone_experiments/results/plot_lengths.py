"""Plot how long an experiment's headlines are against the length that was asked for."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import Any

from alone_experiments.results.figures import new_figure, save
from alone_experiments.results.headline_results import by_name
from alone_experiments.results.line_styles import panels, styles_of
from alone_experiments.results.result_files import Group, Record, group_by_row


def lengths_by_test_set(records: list[Record]) -> dict[str, list[str]]:
    """List the desired lengths of each test set that has several.

    Args:
        records: The results of one experiment.

    Returns:
        By test set, ``""`` being the first, the lengths as the records name them.
    """
    found: dict[str, list[str]] = {}
    names = {name for record in records for name in record["test"].get("rouge", {})}
    for name in sorted(names, key=by_name):
        found.setdefault(by_name(name)[0], []).append(name)
    return {test_set: names for test_set, names in found.items() if len(names) > 1}


def mean_lengths(group: Group, names: list[str]) -> dict[int, float]:
    """Gather the lengths of a row's headlines.

    Args:
        group: Its runs, one a seed.
        names: Desired lengths, as the records name them.

    Returns:
        By desired length the mean length over headlines and seeds, in characters, where
        all runs have it.
    """
    found = {}
    for name in names:
        scores = [record["test"]["rouge"].get(name) for record in group]
        if all(entry and entry["lengths"] for entry in scores):
            lengths = [entry["lengths"]["mean_length"] for entry in scores]
            found[by_name(name)[1]] = mean(lengths)
    return found


def plot(records: list[Record], file: Path) -> bool:
    """Draw the mean length against the desired one, a panel a test set, a line a row.

    Args:
        records: The results of one experiment.
        file: Picture to write; it appears whole or not at all.

    Returns:
        Whether there was something to draw: a test set with several desired lengths.

    Raises:
        Mistake: If matplotlib is missing.
    """
    test_sets = lengths_by_test_set(records)
    if not test_sets:
        return False
    groups = group_by_row(records)
    parts = panels(groups)
    figure = new_figure(6.5 * len(test_sets), 4.5 * len(parts))
    all_axes = figure.subplots(len(parts), len(test_sets), squeeze=False)
    for line, part in zip(all_axes, parts, strict=True):
        for axes, (test_set, names) in zip(line, test_sets.items(), strict=True):
            _draw(axes, part, names, styles_of(part))
            title = f"{records[0]['experiment']}: length of headlines"
            axes.set_title(f"{title} ({test_set})" if test_set else title)
            axes.set_xlabel("desired length (characters)")
        line[0].set_ylabel("mean length (characters)")
        line[-1].legend()
    save(figure, file)
    return True


def _draw(
    axes: Any, groups: list[Group], names: list[str], looks: dict[str, dict[str, Any]]
) -> None:
    for group in groups:
        row, lengths = group[0]["row"], mean_lengths(group, names)
        axes.plot([*lengths], [*lengths.values()], label=row, **looks[row])
    desired = [by_name(name)[1] for name in names]
    axes.plot(desired, desired, color="black", linewidth=0.8, label="as desired")
    axes.set_xticks(desired)
    axes.grid(alpha=0.3)
