"""Plot the validation losses of an experiment's results, one line a row."""

from __future__ import annotations

from pathlib import Path
from statistics import mean

from alone_experiments.results.figures import new_figure, save, use_colours
from alone_experiments.results.result_files import Group, Record, group_by_row


def loss_by_update(group: Group) -> dict[int, list[float]]:
    """Gather the validation losses of a row.

    Args:
        group: Its runs, one a seed.

    Returns:
        For each update at which all of them were validated, the losses, one a seed.
    """
    runs = [dict(record["valid"]["loss"]) for record in group]
    shared = sorted(set.intersection(*map(set, runs)))
    return {update: [run[update] for run in runs] for update in shared}


def last_mean(losses: dict[int, list[float]]) -> float:
    """Give the mean loss at the last update, 0 where there is none."""
    return mean(losses[max(losses)]) if losses else 0.0


def plot(records: list[Record], file: Path) -> bool:
    """Draw validation loss against updates, as Takase and Kobayashi (2020), Figure 4.

    Of several seeds: their mean, and a band from the smallest to the largest.

    Args:
        records: The results of one experiment.
        file: Picture to write; it appears whole or not at all.

    Returns:
        True: there always is something to draw.

    Raises:
        Mistake: If matplotlib is missing.
    """
    figure = new_figure(10, 5)
    axes = figure.add_subplot(
        xlabel="updates",
        ylabel="validation loss (bits a token)",
        title=f"{records[0]['experiment']}: validation loss",
    )
    groups = [(group, loss_by_update(group)) for group in group_by_row(records)]
    use_colours(axes, len(groups))
    # In the legend rows stand as their lines end on the right.
    for group, losses in sorted(groups, key=lambda each: -last_mean(each[1])):
        updates, of_seeds = list(losses), list(losses.values())
        seeds = f" ({len(group)} seeds)" if len(group) > 1 else ""
        # A run that was validated once is a point, which a line would not show.
        marker = "o" if len(updates) == 1 else ""
        label = f"{group[0]['row']}{seeds}"
        axes.plot(updates, [*map(mean, of_seeds)], marker=marker, label=label)
        axes.fill_between(
            updates, [*map(min, of_seeds)], [*map(max, of_seeds)], alpha=0.2
        )
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right upper")
    save(figure, file)
    return True
