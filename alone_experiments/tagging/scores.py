"""Accuracies of taggers, in words."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import mean, stdev
from typing import Any


def tell(score: Mapping[str, float | None]) -> str:
    """Write an accuracy, with that on words that training has not."""
    right, unseen = score["accuracy"], score["unseen"]
    assert right is not None
    return f"{right:.2%}" + ("" if unseen is None else f", {unseen:.2%} of new words")


def tell_all(summary: dict[str, Any]) -> str:
    """Write a summary in one line."""
    test, chosen = summary["test"], summary["chosen"]
    spread = f" ± {100 * stdev(test):.2f} ({len(test)} seeds)" if len(test) > 1 else ""
    return (
        f"{summary['row']}: {100 * mean(test):.2f}{spread} % of the test's"
        f" {summary['tags']} tags are right, with --lr {chosen['lr']:g} and --dropout"
        f" {chosen['dropout']:g} of {len(summary['tried'])} tried"
    )
