"""Reading what ``fairseq-train --log-format json`` prints (its --log-file is less)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any


@dataclass(frozen=True)
class TrainingLog:
    """What a training's log says of its course.

    Attributes:
        updates: Number of the last update.
        seconds: Time from the first batch to the last number, validations and saves
            included, summed over restarts. fairseq's own clock starts again.
        tokens_per_second: Target tokens trained on in a second: the median over
            the log's intervals, which a busy moment of the machine does not move; over
            the epochs if the training ended within the first interval.
        valid_loss: Pairs of update and validation loss, in bits a token.
        valid_ppl: Pairs of update and validation perplexity, of the likelihood
            without label smoothing.
        diverged: A validation's number that is not finite, such as ``valid_loss nan``,
            after which nothing is read; empty where there is none.
    """

    updates: int
    seconds: float
    tokens_per_second: float
    valid_loss: list[tuple[int, float]]
    valid_ppl: list[tuple[int, float]]
    diverged: str


# Printed once by every process, so also after every restart.
START = " | fairseq_cli.train | training on "


def parse_line(line: str) -> tuple[str, dict[str, Any]] | None:
    """Read a line that carries numbers.

    Args:
        line: ``<time> | INFO | <kind> | {...}``, or any other line of the log.

    Returns:
        The kind (``train_inner``, ``valid`` or ``train``) and the numbers by name;
        ``None`` for any other line and for one that was cut off by a kill.
    """
    fields = line.split(" | ", maxsplit=3)
    if len(fields) != 4 or fields[2] not in ("train_inner", "valid", "train"):
        return None
    try:
        numbers = json.loads(fields[3])
    except json.JSONDecodeError:
        return None
    return (fields[2], numbers) if isinstance(numbers, dict) else None


def read_training_log(lines: Iterable[str]) -> TrainingLog:
    """Gather the course of a training, restarts included.

    Args:
        lines: The log. After a restart some updates occur twice; the later count.

    Returns:
        Its summary; zeros and empty lists where the log has nothing.
    """
    speeds: dict[int, float] = {}
    speeds_of_epochs: list[float] = []
    loss: dict[int, float] = {}
    ppl: dict[int, float] = {}
    spans: list[list[datetime]] = []
    diverged = ""
    for line in lines:
        if (time := _time(line)) is None:
            continue
        if START in line:
            spans.append([time] * 2)
        kind, numbers = parse_line(line) or ("other", {})
        if numbers and spans:
            spans[-1][1] = time
        try:
            if kind == "valid":
                update = int(numbers["valid_num_updates"])
                scores = _finite(numbers, "valid_loss"), _finite(numbers, "valid_ppl")
                loss[update], ppl[update] = scores
            elif kind == "train_inner":
                speeds[int(numbers["num_updates"])] = _finite(numbers, "wps")
            elif kind == "train":
                speeds_of_epochs.append(_finite(numbers, "train_wps"))
        except _NotFiniteError as error:
            diverged = str(error)
            break
        except (LookupError, TypeError, ValueError):
            continue  # cut off by a kill, and then written on
    return TrainingLog(
        updates=max([0, *speeds, *loss]),
        seconds=sum((end - start).total_seconds() for start, end in spans),
        tokens_per_second=median(list(speeds.values()) or speeds_of_epochs or [0.0]),
        valid_loss=sorted(loss.items()),
        valid_ppl=sorted(ppl.items()),
        diverged=diverged,
    )


class _NotFiniteError(ArithmeticError):
    """A number that is wanted is not finite."""


def _finite(numbers: dict[str, Any], name: str) -> float:
    value = float(numbers[name])
    if not math.isfinite(value):
        raise _NotFiniteError(f"{name} {value}")
    return value


def _time(line: str) -> datetime | None:
    try:
        return datetime.strptime(line.partition(" | ")[0], "%Y-%m-%d %H:%M:%S")
    except ValueError:
        return None
