"""Reading checkpoints, and other files of tensors, without running code from them."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import torch

from .errors import AloneError, explain

_UNREADABLE = (
    *(pickle.UnpicklingError, RuntimeError, EOFError, OSError),
    # What torch's safe loader stumbles over in files that were never pickled.
    *(IndexError, KeyError, ValueError, TypeError, AttributeError),
)


def read(path: Path) -> dict[str, Any]:
    """Read a file of tensors and plain data.

    Args:
        path: File written by ``torch.save``.

    Returns:
        What it holds, on the CPU.

    Raises:
        AloneError: If it is missing, damaged, holds more than data, or no dictionary.
    """
    try:
        state: Any = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise AloneError(f"{path}: no such file") from None
    except (IsADirectoryError, PermissionError) as error:
        raise AloneError(f"{path}: cannot be read: {error.strerror}") from None
    except _UNREADABLE as error:
        refused = explain(error) if "GLOBAL" in str(error) else None
        reason = refused or "it is damaged, unfinished or of another kind"
        raise AloneError(f"{path}: {reason}") from None
    return dict(state) if isinstance(state, dict) else {}


def load(path: Path) -> dict[str, Any]:
    """Read a fairseq checkpoint.

    Args:
        path: File written by fairseq, or by averaging.

    Returns:
        fairseq's state: ``model``, ``cfg`` and more, on the CPU.

    Raises:
        AloneError: If the file cannot be read, or is no fairseq checkpoint.
    """
    state = read(path)
    if "model" not in state:
        raise AloneError(f"{path}: has no 'model' entry, so it is no checkpoint")
    return state
