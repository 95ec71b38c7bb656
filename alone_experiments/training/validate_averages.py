"""Perplexity of averages of a run's checkpoints, by which their number is chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

from alone_experiments.children import Children
from alone_experiments.mistakes import Mistake
from alone_experiments.tensor_files import write_tensors
from alone_experiments.training.average import (
    average,
    find,
    moving_average,
    updates_in,
)
from alone_experiments.training.experiment import flag_value
from alone_experiments.training.training_log import parse_line
from alone_fairseq.checkpoints import load

MOVING = "moving"
"""What stands for fairseq's moving average in the place of a number of checkpoints."""


class Validated(NamedTuple):
    """What an average is worth.

    Attributes:
        name: The number of checkpoints, or ``MOVING``.
        update: Of the newest of them.
        loss: Of the validation set, in bits.
        ppl: Its perplexity.
    """

    name: str
    update: int
    loss: float
    ppl: float


def validate_averages(
    folder: Path, command: Sequence[str], counts: Sequence[int], moving: bool
) -> Iterator[Validated]:
    """Average the last checkpoints of a run, and validate each average.

    Args:
        folder: The run's ``--save-dir``, with checkpoints by updates.
        command: The training: fairseq-train and its arguments.
        counts: How many checkpoints to average, each at least 1.
        moving: Whether to validate the moving average of ``--store-ema`` too.

    Yields:
        Each average's worth, in the order of ``counts``, that which moves last.

    Raises:
        Mistake: If there are fewer checkpoints, or a validation fails.
    """
    validate = partial(_validate, _command(command), folder / "averaged.pt")
    (newest,) = find(folder, updates=1)
    update = updates_in(load(newest))
    for count in counts:
        state = average(find(folder, updates=count))
        yield Validated(str(count), update, *validate(state))
    if moving:
        yield Validated(MOVING, update, *validate(moving_average(newest)))


def _command(training: Sequence[str]) -> list[str]:
    """Make the command that validates a model of a training, but for its file."""
    words = ["fairseq-validate", training[training.index("fairseq-train") + 1]]
    words += ["--user-dir", "alone_fairseq", "--log-format", "json"]
    words += ["--task", flag_value("--task", training) or "translation"]
    for size in ("--max-tokens", "--batch-size"):
        value = flag_value(size, training)
        words += [size, value] if value else []
    return words + (["--cpu"] if "--cpu" in training else [])


def _validate(
    command: Sequence[str], file: Path, state: dict[str, Any]
) -> tuple[float, float]:
    write_tensors(file, state)
    with Children() as children, TemporaryFile() as output:
        status = children.run([*command, "--path", str(file)], output, output)
        output.seek(0)
        said = output.read().decode(errors="replace")
    found = [line for line in map(parse_line, said.splitlines()) if line]
    if status or not found:
        raise Mistake(f"{command[0]} {file} failed: {said.strip()[-500:]}")
    _, numbers = found[-1]
    return float(numbers["valid_loss"]), float(numbers["valid_ppl"])
