"""The arguments of the ``train-row`` command: which run, and what trains it."""

from __future__ import annotations

import argparse
import re

from alone_experiments.arguments import whole_number
from alone_experiments.mistakes import Mistake
from alone_experiments.training.run import add_run_arguments

DESCRIPTION = """\
Train the row of an experiment that CONFIG describes, such as
configs/toy/alone_real.flags, with the flags in the recipe.flags beside it. After any
kill the same command carries on from the last checkpoint; when the run is complete it
does nothing. TensorBoard finds the course of the training in <save-dir>/tensorboard.
The --max-tokens and --update-freq of recipe.flags are those of one process; their
product is the batch of an update. Several processes share it: the update frequency
follows from their number, and a number that cannot give that batch is refused. Flags of
fairseq-train after -- come last and win, such as: -- --max-update 500"""

PRECISIONS = ("fp32", "fp16", "amp")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.description = DESCRIPTION
    add_run_arguments(parser)
    add_hardware_arguments(parser)
    add = parser.add_argument_group("several machines").add_argument
    add(
        "--nodes",
        type=whole_number(1),
        default=1,
        metavar="N",
        help="machines that train together; start this on each [%(default)s], with a"
        " common --save-dir and the same number of processes",
    )
    add(
        "--node-rank",
        type=whole_number(),
        default=0,
        metavar="R",
        help="number of this machine, from 0",
    )
    add(
        "--master",
        default="",
        metavar="HOST:PORT",
        help="machine 0, and a free port of it; scripts/slurm_train.sbatch is an"
        " example for SLURM",
    )


def add_hardware_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say what trains, and leave the batch as it is."""
    add = parser.add_argument_group("hardware").add_argument
    add(
        "--processes",
        type=whole_number(1),
        metavar="N",
        help="processes on this machine, one a GPU, or on the CPU where there is no GPU"
        " [all GPUs that can share the batch, else 1]",
    )
    add(
        "--max-tokens",
        type=whole_number(1),
        metavar="N",
        help="tokens that a process takes at once [the recipe's]: more is faster where"
        " memory allows",
    )
    add(
        "--precision",
        choices=PRECISIONS,
        help="fp32 [default]; on GPUs also fp16 or amp (automatic mixed precision)",
    )


def hardware_flags(args: argparse.Namespace) -> list[str]:
    """Write what :func:`add_hardware_arguments` read as words of a command line."""
    words = []
    for flag in ("processes", "max_tokens", "precision"):
        if (value := getattr(args, flag)) is not None:
            words += [f"--{flag.replace('_', '-')}", str(value)]
    return words


def check_machines(args: argparse.Namespace, gpus: int) -> None:
    """Check that the machines have what is wanted of them.

    Args:
        args: What :func:`add_arguments` reads.
        gpus: GPUs of this machine.

    Raises:
        Mistake: If they have not, or cannot find one another.
    """
    if args.node_rank >= args.nodes:
        raise Mistake(
            f"--node-rank must be below --nodes {args.nodes}, not {args.node_rank}"
        )
    if args.nodes > 1 and not re.fullmatch(r"[^:]+:\d+", args.master):
        raise Mistake(
            f"--nodes {args.nodes} needs --master HOST:PORT, the same on all of them"
        )
    if args.nodes > 1 and not gpus and args.processes is None:
        raise Mistake(f"--nodes {args.nodes} needs --processes")
    if args.precision not in (None, "fp32") and not gpus:
        raise Mistake(f"--precision {args.precision} needs a GPU")
