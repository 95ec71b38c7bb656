"""Perplexity of averages of a run's checkpoints, by which their number is chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryFile

from alone_experiments.children import Children
from alone_experiments.mistakes import Mistake
from alone_experiments.tensor_files import write_tensors
from alone_experiments.training.average import (
    average,
    find,
    moving_average,
)
from alone_experiments.training.experiment import flag_value
from alone_experiments.training.training_log import parse_line

MOVING = "moving"
"""What stands for fairseq's moving average in the place of a number of checkpoints."""


def validate_averages(
    folder: Path, command: Sequence[str], counts: Sequence[int]
) -> Iterator[tuple[str, float, float]]:
    """Average the last checkpoints of a run, and validate each average.

    Args:
        folder: The run's ``--save-dir``, with the checkpoints.
        command: The training: fairseq-train and its arguments.
        counts: How many checkpoints to average, each at least 1.

    Yields:
        The number of checkpoints, or ``MOVING`` for the moving average that a training
        with ``--store-ema`` keeps; loss in bits and perplexity of the validation set.

    Raises:
        Mistake: If there are fewer checkpoints, or a validation fails.
    """
    validate = _command(command)
    file = folder / "averaged.pt"
    for count in counts:
        write_tensors(file, average(find(folder, updates=count)))
        yield str(count), *_validate(file, validate)
    if "--store-ema" in command:
        write_tensors(file, moving_average(folder / "checkpoint_last.pt"))
        yield MOVING, *_validate(file, validate)


def _command(training: Sequence[str]) -> list[str]:
    """Make the command that validates a model of a training, but for its file."""
    words = ["fairseq-validate", training[training.index("fairseq-train") + 1]]
    words += ["--user-dir", "alone_fairseq", "--log-format", "json"]
    words += ["--task", flag_value("--task", training) or "translation"]
    for size in ("--max-tokens", "--batch-size"):
        value = flag_value(size, training)
        words += [size, value] if value else []
    return words + (["--cpu"] if "--cpu" in training else [])


def _validate(file: Path, command: Sequence[str]) -> tuple[float, float]:
    with Children() as children, TemporaryFile() as output:
        status = children.run([*command, "--path", str(file)], output, output)
        output.seek(0)
        said = output.read().decode(errors="replace")
    found = [line for line in map(parse_line, said.splitlines()) if line]
    if status or not found:
        raise Mistake(f"{command[0]} {file} failed: {said.strip()[-500:]}")
    _, numbers = found[-1]
    return float(numbers["valid_loss"]), float(numbers["valid_ppl"])
