"""Plot how long an experiment's headlines are against the length that was asked for."""

from __future__ import annotations

from pathlib import Path
from statistics import mean

from alone_experiments.results.figures import new_figure, save, use_colours
from alone_experiments.results.headline_results import by_name
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
    panels = lengths_by_test_set(records)
    if not panels:
        return False
    figure = new_figure(6.5 * len(panels), 4.5)
    all_axes = figure.subplots(1, len(panels), squeeze=False)[0]
    groups = group_by_row(records)
    for axes, (test_set, names) in zip(all_axes, panels.items(), strict=True):
        use_colours(axes, len(groups))
        for group in groups:
            lengths = mean_lengths(group, names)
            axes.plot([*lengths], [*lengths.values()], "o-", label=group[0]["row"])
        desired = [by_name(name)[1] for name in names]
        axes.plot(desired, desired, "--", color="black", label="as desired")
        title = f"{records[0]['experiment']}: length of headlines"
        axes.set_title(f"{title} ({test_set})" if test_set else title)
        axes.set_xlabel("desired length (characters)")
        axes.set_xticks(desired)
        axes.grid(alpha=0.3)
    all_axes[0].set_ylabel("mean length (characters)")
    all_axes[-1].legend()
    save(figure, file)
    return True
