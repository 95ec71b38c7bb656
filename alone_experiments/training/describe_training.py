"""What the folder of a run says of its training, as the fields of a record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alone_experiments.training.training_log import read_training_log


def describe_training(run: Path) -> dict[str, Any]:
    """Gather what a run's folder says of its training.

    Args:
        run: Folder written by scripts/train.sh.

    Returns:
        Command, commit, updates, times and the course of the validation.

    Raises:
        Mistake: If a number that is wanted is not finite.
    """
    with open(run / "train.log", encoding="utf-8") as lines:
        log = read_training_log(lines)
    commit, state = (run / "code").read_text().split()
    return {
        "command": (run / "command").read_text().splitlines(),
        "commit": commit,
        "dirty": state != "clean",
        "updates": log.updates,
        "train_seconds": log.seconds,
        "train_tokens_per_second": log.tokens_per_second,
        "valid": {"loss": log.valid_loss, "ppl": log.valid_ppl},
    }
