"""Reading checkpoints, and other files of tensors: whole, finite, and data only."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from .code_in_options import refuse_code
from .errors import AloneError

_CODE = re.compile(r"GLOBAL (\S+)")  # what torch's safe loader says of code
_PICKLES = (b"PK", b"\x80")


def read(path: Path) -> dict[str, Any]:
    """Read a file of tensors and plain data.

    Args:
        path: File written by ``torch.save``.

    Returns:
        What it holds, on the CPU; nothing where that is no dictionary.

    Raises:
        AloneError: If it is missing or damaged, holds more than data, or numbers that
            are not finite.
    """
    state = checked(path, lambda: _load(path))
    return state if isinstance(state, dict) else {}


def load(path: Path) -> dict[str, Any]:
    """Read a fairseq checkpoint.

    Args:
        path: File written by fairseq, or by averaging.

    Returns:
        fairseq's state: ``model``, ``cfg`` and more, on the CPU.

    Raises:
        AloneError: If the file cannot be read, or is no fairseq checkpoint.
    """
    return refuse_other_kinds(read(path), path)


def checked(path: Path, load: Callable[[], Any]) -> Any:
    """Read a file of tensors, and refuse one that is not as it was written.

    Args:
        path: The file.
        load: Reads it. Whatever it raises is taken for damage of the file: what a
            loader stumbles over in one has no end.

    Returns:
        What ``load`` returns.

    Raises:
        AloneError: In one line that names a whole checkpoint beside a damaged one.
    """
    try:
        _verify_checksums(path)
        state = load()
    except FileNotFoundError:
        raise AloneError(f"{path}: no such file") from None
    except Exception as error:
        raise AloneError(f"{path}: {_reason(error, path)}{_beside(path)}") from error
    if (name := _not_finite(state)) is not None:
        raise AloneError(
            f"{path}: '{name}' holds values that are not finite (NaN or infinity)"
            + _beside(path)
        )
    return state


def refuse_other_kinds(state: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return the state of a fairseq checkpoint, and refuse what is none.

    Raises:
        AloneError: If it has no model, or an option with code.
    """
    model = state.get("model")
    if not isinstance(model, dict):
        raise AloneError(f"{path}: has no 'model' entry, so it is no checkpoint")
    for name, tensor in model.items():
        if not isinstance(tensor, Tensor):
            raise AloneError(f"{path}: '{name}' of its model is no tensor")
    refuse_code(state, path)
    return state


def _load(path: Path) -> Any:
    return torch.load(path, map_location="cpu", weights_only=True)


def _verify_checksums(path: Path) -> None:
    # torch writes one for each tensor, and does not look at them when it reads.
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            if (damaged := archive.testzip()) is not None:
                raise ValueError(f"the checksum of {damaged} is another")


def _reason(error: Exception, path: Path) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"cannot be read: {error.strerror}"
    code = _CODE.search(str(error))
    # The first letter of a text may mean a call to a pickle's reader.
    if code and path.read_bytes()[:2].startswith(_PICKLES):
        return (
            f"the checkpoint was refused, since it holds more than data ({code[0]}):"
            " use only checkpoints that fairseq wrote"
        )
    return "it is damaged, unfinished or of another kind"


def _beside(path: Path) -> str:
    """Name the newest whole checkpoint in the folder of one that is not."""
    found = [file for file in path.parent.glob("checkpoint*.pt") if file != path]
    found.sort(key=lambda file: file.stat().st_mtime, reverse=True)
    if not found:
        return ""
    whole = next(filter(_is_whole, found), None)
    if whole is None:
        return "; none of the others in its folder is whole"
    return f"; {whole} is whole: name that one"


def _is_whole(path: Path) -> bool:
    try:
        _verify_checksums(path)
        return _not_finite(_load(path)) is None
    except Exception:
        return False


def _not_finite(state: Any) -> str | None:
    return next(
        (
            name
            for name, tensor in _tensors(state)
            # A loss of the log may be infinite where the model is not.
            if not name.startswith("extra_state.metrics.")
            and tensor.is_floating_point()
            and not tensor.isfinite().all()
        ),
        None,
    )


def _tensors(state: Any, name: str = "") -> Iterator[tuple[str, Tensor]]:
    if isinstance(state, Tensor):
        yield name, state
    elif isinstance(state, dict | list | tuple):
        parts = state.items() if isinstance(state, dict) else enumerate(state)
        for key, part in parts:
            yield from _tensors(part, f"{name}.{key}" if name else str(key))
