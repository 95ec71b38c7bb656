"""A checkpoint as a file of safetensors, and back: the model as compact as it is.

The file holds the model's tensors, tied ones once, and the options of its training as
JSON. What only a training needs stays behind.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from alone_experiments.files import writing
from alone_experiments.mistakes import Mistake
from alone_experiments.tensor_files import memory_of

KIND = "alone_fairseq checkpoint 1"
"""Marks the files; the number changes when older ones can no longer be read."""

_NAMESPACE = "argparse.Namespace"


def write(state: dict[str, Any], path: Path) -> None:
    """Write the model of a checkpoint.

    Args:
        state: The checkpoint, as ``alone_fairseq.checkpoints.load`` reads it.
        path: The file; it appears whole or not at all.

    Raises:
        Mistake: If it cannot be written, or safetensors is missing.
    """
    save = _library("torch").save
    unique: dict[tuple[Any, ...], str] = {}
    shared: dict[str, str] = {}
    for name, tensor in state["model"].items():
        first = unique.setdefault(memory_of(tensor), name)
        if first != name:
            shared[name] = first
    kept = [name for name in state["model"] if name not in shared]
    about = {
        "kind": KIND,
        "shared": json.dumps(shared),
        "cfg": json.dumps(state.get("cfg"), default=_plain),
        "args": json.dumps(state.get("args"), default=_plain),
        "num_updates": str(_updates(state)),
    }
    tensors = {name: state["model"][name].contiguous() for name in kept}
    with writing(path) as file:
        file.write(save(tensors, metadata=about))


def read(path: Path) -> dict[str, Any]:
    """Read what :func:`write` wrote, as a checkpoint that fairseq's commands take.

    Raises:
        Mistake: If it cannot be read, or is another file of safetensors.
    """
    open_file = _library().safe_open
    try:
        with open_file(path, framework="pt") as file:
            about = file.metadata() or {}
            model = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError:
        raise Mistake(f"{path}: no such file") from None
    except Exception as error:  # the library's own has no common base
        raise Mistake(f"{path}: is no whole file of safetensors ({error})") from error
    if about.get("kind") != KIND:
        raise Mistake(
            f"{path}: was not written by alone-fairseq export --to safetensors"
        )
    model |= {name: model[first] for name, first in json.loads(about["shared"]).items()}
    history = {
        "num_updates": int(about["num_updates"]),
        "lr_scheduler_state": {},
        "optimizer_name": "",
        "criterion_name": "",
    }
    return {
        "args": json.loads(about["args"], object_hook=_rebuilt),
        "cfg": json.loads(about["cfg"], object_hook=_rebuilt),
        "model": model,
        "optimizer_history": [history],
        "last_optimizer_state": None,
        "extra_state": {"train_iterator": {"epoch": 1, "iterations_in_epoch": 0}},
    }


def _updates(state: dict[str, Any]) -> int:
    return int((state.get("optimizer_history") or [{}])[-1].get("num_updates", 0))


def _plain(value: Any) -> dict[str, Any]:
    if isinstance(value, argparse.Namespace):
        return {_NAMESPACE: vars(value)}
    raise Mistake(f"an option of the checkpoint is no plain data: {value!r}")


def _rebuilt(entry: dict[str, Any]) -> Any:
    return argparse.Namespace(**entry[_NAMESPACE]) if _NAMESPACE in entry else entry


def _library(part: str = "") -> Any:
    import importlib

    try:
        return importlib.import_module(f"safetensors{'.' if part else ''}{part}")
    except ImportError as error:
        raise Mistake(
            "safetensors is not installed: pip install safetensors"
        ) from error
