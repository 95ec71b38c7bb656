"""The command line of the benchmark."""

from __future__ import annotations

import argparse
import dataclasses
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import torch

from alone_experiments.mistakes import Mistake

from .job import DTYPES
from .settings import (
    CHUNKED,
    COMPILED,
    LEVERS,
    MODELS,
    PARTS,
    VARIANTS,
    Settings,
    check,
    default_settings,
)

Value = TypeVar("Value")
GIB = 2**30


def make_parser() -> argparse.ArgumentParser:
    """Build the parser; options left out are ``None``."""
    parser = argparse.ArgumentParser(
        prog="bash scripts/benchmark.sh",
        usage="%(prog)s [--quick] [options]",
        description="Measure the look-up table, the published formulation of ALONE and"
        " ours side by side, on the GPU in half precision where there is one.",
        epilog="Lists are written with commas. Interrupted, the same command carries on"
        " where it was. Results: benchmark.json, benchmark.md and growth.png.",
    )
    add = parser.add_argument
    add("--quick", action="store_true", help="small shapes, about a minute")
    add(
        "--output",
        type=Path,
        metavar="DIR",
        default=Path(os.environ.get("ALONE_OUTPUT", "output")) / "results/benchmarks",
        help="folder of results (default: output/results/benchmarks)",
    )
    add("--force", action="store_true", help="throw away what was measured before")
    names, numbers, rates = _list_of(str), _list_of(int), _list_of(float)
    add("--parts", type=names, metavar="A,B", help=f"of {', '.join(PARTS)}")
    add(
        "--variants",
        type=names,
        metavar="A,B",
        help=f"of {', '.join(VARIANTS)}; with --parts table also {', '.join(COMPILED)}"
        f" (torch.compile); with --parts step,train also {', '.join(CHUNKED)} (our"
        f" criterion in chunks) and {', '.join(LEVERS)} (the recipe of"
        " docs/learning.md)",
    )
    add("--device", choices=("cpu", "cuda"), help="default: cuda where there is one")
    add("--precision", choices=tuple(DTYPES), help="default: fp16 on a GPU")
    add(
        "--threads",
        type=int,
        metavar="N",
        help="threads of a process (default: all cores)",
    )
    add(
        "--seed",
        type=int,
        metavar="N",
        help="seed of weights, batches and dropout (default 1)",
    )
    sizes = parser.add_argument_group("sizes (defaults: full mode on a CPU)")
    add = sizes.add_argument
    add(
        "--model",
        choices=tuple(MODELS),
        help="Transformer: base, D = 512, or tiny, D = 128 (base)",
    )
    add("--vocabulary", type=int, metavar="N", help="V (32768)")
    add(
        "--inter-dim",
        type=numbers,
        metavar="N,N",
        dest="inter_dims",
        help="H (4096,8192)",
    )
    add(
        "--relu-dropout",
        type=rates,
        metavar="P,P",
        dest="relu_dropouts",
        help="ALONE's dropout on input look-ups, for the training step; whole trainings"
        " have the first (0,0.1)",
    )
    add(
        "--tokens",
        type=int,
        metavar="N",
        help="target tokens of a micro-batch (3584; GPU 8192)",
    )
    add("--length", type=int, metavar="N", help="tokens of a sentence (32)")
    add(
        "--decoded-batches",
        type=int,
        metavar="N",
        help="batches to decode after the first (10; quick 4)",
    )
    add(
        "--sentences",
        type=int,
        metavar="N",
        help="sentences of fairseq-generate (128; GPU 512)",
    )
    add(
        "--published-sentences",
        type=int,
        metavar="N",
        help="the same for the published formulation (one batch)",
    )
    add(
        "--batch-size",
        type=numbers,
        metavar="N,N",
        dest="batch_sizes",
        help="sentences translated together (1,32)",
    )
    add("--growth", type=numbers, metavar="N,N", help="values of V (8192 ... 4194304)")
    add(
        "--growth-tokens",
        type=int,
        metavar="N",
        help="micro-batch of growth (512; GPU 4096)",
    )
    repeat = parser.add_argument_group("repetitions and limits")
    add = repeat.add_argument
    add("--rounds", type=int, metavar="N", help="rounds of table and step (5; quick 3)")
    add(
        "--run-rounds",
        type=int,
        metavar="N",
        help="of train, decode, generate and growth (3; quick 2)",
    )
    add("--memory-rounds", type=int, metavar="N", help="rounds for peaks of memory (1)")
    add(
        "--updates",
        type=int,
        metavar="N",
        help="updates of a whole training that count (1; GPU 40)",
    )
    add(
        "--update-freq",
        type=int,
        metavar="N",
        help="micro-batches of an update of a whole training (8)",
    )
    add(
        "--max-gigabytes",
        type=float,
        metavar="G",
        dest="max_bytes",
        help="memory that a measurement of growth may need (half of the machine's or"
        " GPU's)",
    )
    add(
        "--max-seconds",
        type=float,
        metavar="S",
        help="time of one repetition of it (60; quick 5)",
    )
    return parser


def read_settings(args: argparse.Namespace) -> Settings:
    """Turn the command line into settings.

    Args:
        args: What :func:`make_parser` read.

    Returns:
        The mode's settings with all changes.

    Raises:
        Mistake: If they cannot work.
    """
    found = torch.cuda.is_available()
    if args.device == "cuda" and not found:
        raise Mistake("--device cuda: torch finds no GPU; leave it out for the CPU")
    device = args.device or ("cuda" if found else "cpu")
    settings = default_settings(args.quick, device)
    if device == "cuda":
        memory = torch.cuda.get_device_properties(0).total_memory
        settings = dataclasses.replace(settings, max_bytes=memory // 2)
    changes: dict[str, Any] = {
        field.name: value
        for field in dataclasses.fields(Settings)
        if (value := getattr(args, field.name, None)) is not None
    }
    if "model" in changes:
        changes["model"] = MODELS[changes["model"]]
    if "max_bytes" in changes:
        changes["max_bytes"] = int(changes["max_bytes"] * GIB)
    settings = dataclasses.replace(settings, **{**changes, "device": device})
    check(settings)
    return settings


def _list_of(kind: Callable[[str], Value]) -> Callable[[str], tuple[Value, ...]]:
    def read(text: str) -> tuple[Value, ...]:
        return tuple(kind(word) for word in text.split(",") if word)

    read.__name__ = f"list of {kind.__name__}"
    return read


def parse(
    arguments: Sequence[str] | None = None,
) -> tuple[argparse.Namespace, Settings]:
    """Read the command line.

    Args:
        arguments: Words after the program's name; ``sys.argv`` if left out.

    Returns:
        The arguments and the settings that follow from them.

    Raises:
        Mistake: If the settings cannot work.
    """
    args = make_parser().parse_args(arguments)
    return args, read_settings(args)
