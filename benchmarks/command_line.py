"""The command line of the benchmark."""

from __future__ import annotations

import argparse
import dataclasses
import os
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import torch

from alone_experiments.arguments import names, whole_number, whole_numbers
from alone_experiments.mistakes import Mistake, OneLineParser

from .job import DTYPES
from .settings import (
    CHUNKED,
    COMPILED,
    LAYERS,
    LEVERS,
    METHODS,
    MODELS,
    PARTS,
    SMALLEST_VOCABULARY,
    VARIANTS,
    Settings,
    check,
    default_settings,
)

Group = argparse.ArgumentParser | argparse._ArgumentGroup
GIB = 2**30


def make_parser() -> argparse.ArgumentParser:
    """Build the parser; options left out are ``None``."""
    parser = OneLineParser(
        prog="bash scripts/benchmark.sh",
        usage="%(prog)s [--quick] [options]",
        description="Measure the look-up table, the published formulation of ALONE and"
        " ours side by side, on the GPU in half precision where there is one.",
        epilog="Lists are written with commas. Interrupted, the same command carries on"
        " where it was. Results: benchmark.json, benchmark.md and growth.png.",
    )
    add = parser.add_argument
    add("--quick", action="store_true", help="small shapes, about a minute")
    usual = Path(os.environ.get("ALONE_OUTPUT", "output")) / "results/benchmarks"
    about = "folder of results (default: output/results/benchmarks)"
    add("--output", type=Path, metavar="DIR", default=usual, help=about)
    add("--force", action="store_true", help="throw away what was measured before")
    add("--parts", type=names, metavar="A,B", help=f"of {', '.join(PARTS)}")
    add(
        "--variants",
        type=names,
        metavar="A,B",
        help=f"of {', '.join(VARIANTS)}; with --parts table also {', '.join(COMPILED)}"
        f" (torch.compile); with --parts step,train also {', '.join(CHUNKED)} (our"
        f" criterion in chunks), {', '.join(LEVERS)} (the recipes"
        f" of docs/learning.md) and {', '.join(METHODS)} (half of look-up's values,"
        f" and none); with --parts sampling also {', '.join(LAYERS)} (other output"
        " layers)",
    )
    add("--device", choices=("cpu", "cuda"), help="default: cuda where there is one")
    add("--precision", choices=tuple(DTYPES), help="default: fp16 on a GPU")
    _add_number(parser, "threads", "threads of a process (default: all cores)")
    about = "seed of weights, batches and dropout (default 1)"
    _add_number(parser, "seed", about, least=0)
    _add_sizes(parser.add_argument_group("sizes (defaults: full mode on a CPU)"))
    _add_limits(parser.add_argument_group("repetitions and limits"))
    return parser


def _add_number(group: Group, name: str, text: str, least: int = 1) -> None:
    group.add_argument(f"--{name}", type=whole_number(least), metavar="N", help=text)


def _add_numbers(group: Group, name: str, to: str, text: str, least: int = 1) -> None:
    number = whole_numbers(least)
    group.add_argument(f"--{name}", type=number, metavar="N,N", dest=to, help=text)


def _add_sizes(group: Group) -> None:
    group.add_argument(
        "--model",
        choices=tuple(MODELS),
        help="Transformer: base, D = 512, or tiny, D = 128 (base)",
    )
    _add_number(group, "vocabulary", "V (32768)", SMALLEST_VOCABULARY)
    _add_numbers(group, "inter-dim", "inter_dims", "H (4096,8192)")
    group.add_argument(
        "--relu-dropout",
        type=_rates,
        metavar="P,P",
        dest="relu_dropouts",
        help="ALONE's dropout on input look-ups, for the training step; whole trainings"
        " have the first (0,0.1)",
    )
    _add_number(group, "tokens", "target tokens of a micro-batch (3584; GPU 8192)")
    _add_number(group, "length", "tokens of a sentence (32)")
    about = "batches to decode after the first (10; quick 4)"
    _add_number(group, "decoded-batches", about)
    _add_number(group, "sentences", "sentences of fairseq-generate (128; GPU 512)")
    about = "the same for the published formulation (one batch)"
    _add_number(group, "published-sentences", about, least=0)
    about = "sentences translated together (1,32)"
    _add_numbers(group, "batch-size", "batch_sizes", about)
    about = "values of V (8192 ... 4194304)"
    _add_numbers(group, "growth", "growth", about, SMALLEST_VOCABULARY)
    about = "micro-batch of growth, sampling and codes (512; GPU 4096)"
    _add_number(group, "growth-tokens", about)
    about = "values of V (10000 ... 4000000)"
    _add_numbers(group, "sampling", "sampling", about, SMALLEST_VOCABULARY)
    about = "words of a sampled softmax (8192)"
    _add_numbers(group, "sampled-words", "sampled_words", about, 2)


def _add_limits(group: Group) -> None:
    _add_number(group, "rounds", "rounds of table and step (5; quick 3)")
    about = "of train, decode, generate and growth (3; quick 2)"
    _add_number(group, "run-rounds", about)
    _add_number(group, "memory-rounds", "rounds for peaks of memory (1)")
    about = "updates of a whole training that count (1; GPU 40)"
    _add_number(group, "updates", about)
    about = "micro-batches of an update of a whole training (8)"
    _add_number(group, "update-freq", about)
    group.add_argument(
        "--max-gigabytes",
        type=float,
        metavar="G",
        dest="max_bytes",
        help="memory that a measurement of growth may need (half of the machine's or"
        " GPU's)",
    )
    group.add_argument(
        "--max-seconds",
        type=float,
        metavar="S",
        help="time of one repetition of it (60; quick 5)",
    )


def _rates(text: str) -> list[float]:
    return [float(word) for word in text.split(",") if word]


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
        field.name: tuple(value) if isinstance(value, list) else value
        for field in dataclasses.fields(Settings)
        if (value := getattr(args, field.name, None)) is not None
    }
    if "model" in changes:
        changes["model"] = MODELS[changes["model"]]
    if "max_bytes" in changes:
        if not isfinite(changes["max_bytes"]):
            raise Mistake(f"--max-gigabytes must be finite, not {changes['max_bytes']}")
        changes["max_bytes"] = int(changes["max_bytes"] * GIB)
    settings = dataclasses.replace(settings, **{**changes, "device": device})
    check(settings)
    return settings


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
