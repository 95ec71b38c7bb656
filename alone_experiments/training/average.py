"""Averaging of checkpoints, and the command that does it."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from tqdm import tqdm

from alone_experiments.arguments import whole_number
from alone_experiments.files import refuse_to_replace, refuse_twice
from alone_experiments.mistakes import Mistake
from alone_experiments.tensor_files import memory_of, write_tensors
from alone_fairseq.checkpoints import load

EPOCH_FILE = re.compile(r"checkpoint(\d+)\.pt")
UPDATE_FILE = re.compile(r"checkpoint_\d+_(\d+)\.pt")

# What only a resumed training needs; the optimiser's state is twice the model's size.
TRAINING_STATE = ("last_optimizer_state", "optimizer")


def without_training_state(state: dict[str, Any]) -> dict[str, Any]:
    """Leave out of a checkpoint what belongs to other values of its model.

    Args:
        state: A checkpoint of fairseq's.

    Returns:
        It without the optimiser's state and the moving average of the model, which
        fairseq begins anew then.
    """
    rest = {key: value for key, value in state.items() if key not in TRAINING_STATE}
    if "ema" in (extra := rest.get("extra_state") or {}):
        rest["extra_state"] = {k: v for k, v in extra.items() if k != "ema"}
    return rest


def find(
    folder: Path,
    epochs: int | None = None,
    updates: int | None = None,
    upper_bound: int | None = None,
) -> list[Path]:
    """Find the last checkpoints of a run.

    Args:
        folder: The run's ``--save-dir``.
        epochs: Take this many files written at the ends of epochs, at least 1 ...
        updates: ... or this many written after a number of updates, among which
            ``checkpoint_last.pt`` may be.
        upper_bound: Ignore later epochs or updates than this.

    Returns:
        The files, the latest first.

    Raises:
        Mistake: If there are fewer than asked for.
    """
    pattern, wanted = (
        (UPDATE_FILE, updates or 0) if epochs is None else (EPOCH_FILE, epochs)
    )
    kind = "epoch" if epochs is not None else "update"
    if not folder.is_dir():
        raise Mistake(f"{folder}: no such folder")
    every = [
        (int(match[1]), path)
        for path in folder.iterdir()
        if (match := pattern.fullmatch(path.name))
    ]
    if every and kind == "update":
        every += _newer(folder / "checkpoint_last.pt", max(every)[0])
    numbered = [
        (number, path)
        for number, path in every
        if upper_bound is None or number <= upper_bound
    ]
    if len(numbered) < wanted:
        flag = {"update": "--save-interval-updates N", "epoch": "--save-interval N"}
        remedy = f"lower --num-{kind}-checkpoints" if numbered else "name one file"
        raise Mistake(
            f"{folder}: has {len(numbered)} {kind} checkpoints, {wanted} were asked"
            f" for: {remedy}, or train with {flag[kind]} that saves more of them"
        )
    return [path for _, path in sorted(numbered, reverse=True)[:wanted]]


def _newer(last: Path, number: int) -> list[tuple[int, Path]]:
    """Give the last checkpoint where it was due as one of a number of updates.

    Where that update ends an epoch, too, fairseq gives it no such name, and the end of
    a training would be missing in its average.
    """
    if not last.is_file():
        return []
    state = load(last)
    saving = (state.get("cfg") or {}).get("checkpoint") or {}
    interval, done = saving.get("save_interval_updates"), updates_in(state)
    return [(done, last)] if interval and done > number and done % interval == 0 else []


def updates_in(state: dict[str, Any]) -> int:
    """Read how many updates a checkpoint has behind it; 0 where it does not say."""
    history = state.get("optimizer_history") or [{}]
    return int(history[-1].get("num_updates", 0))


def average(paths: list[Path]) -> dict[str, Any]:
    """Average the parameters of several checkpoints of one run.

    Tensors that share memory in the checkpoint (tied layers) still do so afterwards.
    Integer tensors describe what is not averaged and must be the same in all.

    Args:
        paths: Checkpoints; all but the parameters is taken from the first.

    Returns:
        A checkpoint for evaluation, without the optimiser's state.

    Raises:
        Mistake: If the checkpoints do not belong together.
    """
    first = load(paths[0])
    unique = _unshare(first["model"])
    sums = {name: _wide(first["model"][name]) for name in unique.values()}
    for path in tqdm(paths[1:], desc="averaging", unit="checkpoint", disable=None):
        other = load(path)
        if _seed(other) != _seed(first):
            raise Mistake(
                f"{path}: is of another run (seed {_seed(other)}, that of {paths[0]} is"
                f" {_seed(first)})"
            )
        _add(sums, other["model"], first["model"], path)
    means = {
        name: (total / len(paths)).to(first["model"][name].dtype)
        if first["model"][name].is_floating_point()
        else total
        for name, total in sums.items()
    }
    shared = {
        name: means[unique[memory_of(tensor)]]
        for name, tensor in first["model"].items()
    }
    return {**without_training_state(first), "model": shared}


def moving_average(path: Path) -> dict[str, Any]:
    """Take out of a checkpoint the moving average that ``--store-ema`` keeps there.

    Args:
        path: A checkpoint.

    Returns:
        A checkpoint for evaluation with the average as its model.

    Raises:
        Mistake: If there is none.
    """
    state = load(path)
    moving = (state.get("extra_state") or {}).get("ema")
    if moving is None:
        raise Mistake(f"{path}: has no moving average: train with --store-ema")
    if lost := sorted({*state["model"]} - {*moving}):
        raise Mistake(
            f"{path}: its moving average has no '{lost[0]}' (fairseq's own Transformer"
            " loses layer_norm with --encoder- or --decoder-normalize-before): average"
            " checkpoints instead"
        )
    # One tensor for each name, also of tied layers; a model ties them again.
    return {**without_training_state(state), "model": moving}


def _seed(state: dict[str, Any]) -> Any:
    """Read the seed of the training; files written by other programs may have none."""
    return ((state.get("cfg") or {}).get("common") or {}).get("seed")


def _unshare(model: dict[str, Tensor]) -> dict[tuple[Any, ...], str]:
    unique: dict[tuple[Any, ...], str] = {}
    for name, tensor in model.items():
        unique.setdefault(memory_of(tensor), name)
    return unique


def _wide(tensor: Tensor) -> Tensor:
    return tensor.double() if tensor.is_floating_point() else tensor


def _add(
    sums: dict[str, Tensor],
    other: dict[str, Tensor],
    first: dict[str, Tensor],
    path: Path,
) -> None:
    if other.keys() != first.keys():
        name = sorted(other.keys() ^ first.keys())[0]
        raise Mistake(f"{path}: is of another model ('{name}' is not in all files)")
    for name, total in sums.items():
        if other[name].shape != total.shape:
            raise Mistake(f"{path}: is of another model ('{name}' differs in size)")
        if other[name].is_floating_point():
            total += other[name]
        elif not torch.equal(other[name], total):
            raise Mistake(f"{path}: is of another model ('{name}' differs)")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the ``average`` command."""
    parser.add_argument(
        "--inputs",
        nargs="+",
        type=Path,
        required=True,
        metavar="PATH",
        help="checkpoints, or the one folder that holds them",
    )
    parser.add_argument(
        "--output", type=Path, required=True, metavar="FILE", help="averaged checkpoint"
    )
    last = parser.add_mutually_exclusive_group()
    last.add_argument(
        "--moving",
        action="store_true",
        help="of one checkpoint: take the moving average that a training with"
        " --store-ema keeps in it",
    )
    last.add_argument(
        "--num-epoch-checkpoints",
        type=whole_number(1),
        metavar="N",
        help="average the last N files checkpointE.pt of the folder",
    )
    last.add_argument(
        "--num-update-checkpoints",
        type=whole_number(1),
        metavar="N",
        help="average the last N files checkpoint_E_U.pt of the folder",
    )
    parser.add_argument(
        "--checkpoint-upper-bound",
        type=whole_number(),
        metavar="N",
        help="with either: ignore what was saved after epoch or update N",
    )


def run(args: argparse.Namespace) -> None:
    """Average checkpoints and say which."""
    paths = args.inputs
    refuse_twice(paths)
    if args.moving:
        if len(paths) != 1 or paths[0].is_dir() or args.checkpoint_upper_bound:
            raise Mistake("--moving takes one checkpoint: name it after --inputs")
        refuse_to_replace(paths, [args.output])
        write_tensors(args.output, moving_average(paths[0]))
        print(f"{args.output}: the moving average of {paths[0].name}")
        return
    if (
        args.num_epoch_checkpoints is not None
        or args.num_update_checkpoints is not None
    ):
        if len(paths) != 1:
            raise Mistake("--inputs must be one folder with --num-...-checkpoints")
        paths = find(
            paths[0],
            args.num_epoch_checkpoints,
            args.num_update_checkpoints,
            args.checkpoint_upper_bound,
        )
    elif any(path.is_dir() for path in paths):
        raise Mistake("--inputs is a folder: add --num-update-checkpoints N")
    elif args.checkpoint_upper_bound is not None:
        raise Mistake("--checkpoint-upper-bound needs --num-...-checkpoints")
    refuse_to_replace(paths, [args.output])
    state = average(paths)
    write_tensors(args.output, state)
    one_folder = len({path.parent for path in paths}) == 1
    names = ", ".join(path.name if one_folder else str(path) for path in paths)
    print(f"{args.output}: average of {len(paths)} checkpoints ({names})")
