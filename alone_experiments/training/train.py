"""The ``train-row`` command: train a row of an experiment, or carry its training on."""

from __future__ import annotations

import argparse
import os
import shlex

from alone_experiments.children import Children, check_installed, shell_status
from alone_experiments.locks import locked
from alone_experiments.mistakes import Mistake, say
from alone_experiments.repository import shown
from alone_experiments.training import run_state
from alone_experiments.training.experiment import flag_value
from alone_experiments.training.failure import explain_end
from alone_experiments.training.hardware import count_gpus, keep_freed_memory
from alone_experiments.training.processes import share_batch
from alone_experiments.training.progress import Progress
from alone_experiments.training.run import Run
from alone_experiments.training.train_arguments import add_arguments, check_machines

__all__ = ["PASSES_ON", "add_arguments", "run"]  # of a command

PASSES_ON = "fairseq-train"
"""What the words after ``--`` on the command line are flags of."""

_SECONDS_BETWEEN_LOOKS = 0.5


def run(args: argparse.Namespace) -> None:
    """Train a row, unless it is trained already."""
    gpus = count_gpus()
    check_machines(args, gpus)
    training = Run.from_arguments(args)
    command = make_command(training, args, gpus)
    if args.dry_run:
        print(shlex.join(command))
        return
    check_installed()
    training.check_corpus(f"bin/dict.{training.languages()[1]}.txt")
    _check_start(training)
    training.folder.mkdir(parents=True, exist_ok=True)
    if args.node_rank > 0:  # the first machine alone keeps the records of the run
        _train(training, command, args)
        return
    with locked(training.folder):
        train(training, command, args)


def make_command(training: Run, args: argparse.Namespace, gpus: int) -> list[str]:
    """Make the command that trains a run.

    Args:
        training: The run.
        args: Options of this command.
        gpus: GPUs of this machine.

    Returns:
        fairseq-train and its flags, behind what starts it in several processes.

    Raises:
        Mistake: If flags cannot be read, or the batch cannot be shared.
    """
    recipe = training.row.recipe()
    group, batch = share_batch(recipe, args, gpus)
    flags = [_in_folder(word, training) for word in recipe + training.row.flags()]
    precision = [] if args.precision in (None, "fp32") else [f"--{args.precision}"]
    optimizer = flag_value("--optimizer", [*flags, *args.extra])
    if precision == ["--fp16"] and optimizer not in (None, "adam"):
        # Ours treat parameters by what they are for, and cannot have them as one.
        precision.append("--fp16-no-flatten-grads")
    # On a CPU a loader process would only copy the memory of the training.
    device = [] if gpus else ["--cpu", "--num-workers", "0"]
    return [
        *group.launcher(args.node_rank, args.master),
        *("fairseq-train", f"{training.data}/bin", "--user-dir", "alone_fairseq"),
        *(*flags, *batch, *group.flags(), *precision),
        *("--seed", str(training.seed), "--save-dir", training.save_dir),
        *("--tensorboard-logdir", f"{training.save_dir}/tensorboard"),
        *("--log-format", "json", *device, *args.extra),
    ]


def _check_start(training: Run) -> None:
    if training.row.start() and not (training.folder / "start.pt").is_file():
        row = training.row
        raise Mistake(
            f"no start.pt in {training.save_dir}, from which this row starts; run: bash"
            f" scripts/reproduce.sh {row.experiment} --rows {row.name}"
        )


def _in_folder(word: str, training: Run) -> str:
    for name, folder in (("DATA/", training.data), ("RUN/", training.save_dir)):
        if word.startswith(name):
            return f"{folder}/{word.removeprefix(name)}"
    return word


def train(training: Run, command: list[str], args: argparse.Namespace) -> None:
    """Train a run to its end, with the records that its folder keeps.

    Args:
        training: The run, whose folder is locked.
        command: What trains it.
        args: Options of this command.

    Raises:
        Mistake: If the folder holds another run, or the training fails.
    """
    run_state.check_same_run(training.folder, command)
    run_state.check_same_data(training.folder, training.corpus)
    if run_state.is_complete(training.folder, max_update(command)):
        saved = run_state.saved_updates(training.folder)
        say(f"{training.save_dir} is complete ({saved} updates)")
        return
    run_state.begin(training.folder, command)
    run_state.keep_data(training.folder, training.corpus)
    _train(training, command, args)
    run_state.finish(training.folder)


def max_update(command: list[str]) -> int | None:
    """Read at which update a training ends, ``None`` where the command does not say.

    Raises:
        Mistake: If it is no whole number.
    """
    value = flag_value("--max-update", command)
    if value and not value.isdecimal():
        raise Mistake(f"--max-update must be a whole number, not {value}")
    return int(value) if value else None


def _train(training: Run, command: list[str], args: argparse.Namespace) -> None:
    first = args.node_rank == 0
    log = training.folder / ("train.log" if first else f"node{args.node_rank}.log")
    errors = training.folder / ("errors" if first else f"node{args.node_rank}.errors")
    world = flag_value("--distributed-world-size", command) or "1"
    row = f"{training.row.experiment}/{training.row.name}"
    say(
        f"training {row}, seed {training.seed}, to {training.save_dir};"
        f" processes: {world}"
    )
    environment = dict(os.environ)
    keep_freed_memory(environment)
    progress = Progress(log, max_update(command))
    with (
        Children(environment) as children,
        log.open("ab") as output,
        errors.open("wb") as said,
    ):
        child = children.start(command, output, said)
        while not children.ended(child, _SECONDS_BETWEEN_LOOKS):
            progress.show()
    progress.show()
    if child.returncode:
        raise Mistake(
            f"{command[0]} ended with status {shell_status(child)}:"
            f" {explain_end(errors)}; see {shown(errors)} and {shown(log)}"
        )
