"""Plot the validation losses of an experiment's results, one line a row."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import Any

from alone_experiments.results.figures import new_figure, save
from alone_experiments.results.line_styles import panels, styles_of
from alone_experiments.results.result_files import Group, Record, group_by_row
from alone_experiments.training.experiment import flag_value


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


def why_it_ends(group: Group, end: int, last: int) -> str:
    """Say why a curve ends before others do.

    Args:
        group: The runs of the row.
        end: Update of its last point.
        last: Update at which the longest curve ends.

    Returns:
        The end of a label; empty where the curve goes as far as any.
    """
    if end >= last:
        return ""
    trained = min(record["updates"] for record in group)
    wanted = flag_value("--max-update", group[0].get("command", []))
    if trained > end:
        reason = "not validated later"
        if len({len(record["valid"]["loss"]) for record in group}) > 1:
            reason = "the seeds share no later validation"
    elif wanted is None or int(wanted) <= trained:
        reason = "trained for no more"
    else:
        reason = f"stopped before {int(wanted):,}"
    return f": to {end:,}, {reason}"


def plot(records: list[Record], file: Path) -> bool:
    """Draw validation loss against updates, as Takase and Kobayashi (2020), Figure 4.

    Of several seeds: their mean, and a band from the smallest to the largest. More than
    eight rows are shared among panels.

    Args:
        records: The results of one experiment.
        file: Picture to write; it appears whole or not at all.

    Returns:
        True: there always is something to draw.

    Raises:
        Mistake: If matplotlib is missing.
    """
    groups = group_by_row(records)
    parts = panels(groups)
    losses = {group[0]["row"]: loss_by_update(group) for group in groups}
    last = max((max(found) for found in losses.values() if found), default=0)
    figure = new_figure(10, 5 * len(parts))
    all_axes = figure.subplots(len(parts), 1, squeeze=False, sharex=True, sharey=True)
    for axes, part in zip(all_axes[:, 0], parts, strict=True):
        looks = styles_of(part)
        # In the legend rows stand as their lines end on the right.
        for group in sorted(part, key=lambda each: -last_mean(losses[each[0]["row"]])):
            row = group[0]["row"]
            _draw(axes, group, losses[row], looks[row], last)
        axes.set_ylabel("validation loss (bits a token)")
        axes.grid(alpha=0.3)
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0))
    all_axes[0, 0].set_title(f"{records[0]['experiment']}: validation loss")
    all_axes[-1, 0].set_xlabel("updates")
    save(figure, file)
    return True


def _draw(
    axes: Any,
    group: Group,
    losses: dict[int, list[float]],
    look: dict[str, Any],
    last: int,
) -> None:
    updates, of_seeds = list(losses), list(losses.values())
    seeds = f" ({len(group)} seeds)" if len(group) > 1 else ""
    end = why_it_ends(group, updates[-1] if updates else 0, last)
    # A run that was validated once is a point, which a line would not show.
    shown = look if len(updates) == 1 else {**look, "marker": ""}
    label = f"{group[0]['row']}{seeds}{end}"
    axes.plot(updates, [*map(mean, of_seeds)], label=label, **shown)
    axes.fill_between(
        *(updates, [*map(min, of_seeds)], [*map(max, of_seeds)]),
        color=look["color"], alpha=0.15, linewidth=0,
    )  # fmt: skip
