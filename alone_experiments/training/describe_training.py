"""What the folder of a run says of its training, as the fields of a record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alone_experiments.mistakes import Mistake
from alone_experiments.training.failure import ended_by_divergence
from alone_experiments.training.run_state import saved_updates
from alone_experiments.training.training_log import TrainingLog, read_training_log


def describe_training(run: Path) -> dict[str, Any]:
    """Gather what a run's folder says of its training.

    Args:
        run: Folder written by scripts/train.sh.

    Returns:
        Command, commit, updates, times and the course of the validation.

    Raises:
        Mistake: If a number that is wanted is not finite.
    """
    log = _read(run)
    if log.diverged:
        raise Mistake(f"the log of the training has {log.diverged}: it diverged")
    # A training that was stopped has more updates behind it than what is evaluated.
    saved = saved_updates(run) or log.updates
    return {**_fields(run, log), "updates": min(saved, log.updates)}


def describe_trial(run: Path) -> dict[str, Any]:
    """Gather the same of a training that may have diverged.

    Args:
        run: Folder written by scripts/train.sh.

    Returns:
        The fields of :func:`describe_training`, up to the divergence, and whether there
        was one.
    """
    log = _read(run)
    diverged = bool(log.diverged) or ended_by_divergence(run / "errors")
    return {**_fields(run, log), "diverged": diverged}


def _read(run: Path) -> TrainingLog:
    with open(run / "train.log", encoding="utf-8") as lines:
        return read_training_log(lines)


def _fields(run: Path, log: TrainingLog) -> dict[str, Any]:
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
