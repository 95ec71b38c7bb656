"""Files of tensors that are either whole or not there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from alone_experiments.files import writing
from alone_experiments.mistakes import Mistake
from alone_fairseq.errors import reason_for


def write_tensors(path: Path, state: dict[str, Any]) -> None:
    """Write tensors and plain data, which ``alone_fairseq.checkpoints.read`` reads.

    Args:
        path: The file; its folder is made, and a file of that name replaced.
        state: What it shall hold.

    Raises:
        Mistake: If it cannot be written.
    """
    try:
        with writing(path) as file:
            torch.save(state, file)
    except RuntimeError as error:  # of torch's own writer, on a full disk for example
        raise Mistake(f"cannot write {path}: {reason_for(error)}") from error


def memory_of(tensor: Tensor) -> tuple[Any, ...]:
    """Say where a tensor's values are: the same for tensors that are tied."""
    # Empty tensors all have the same address.
    return (tensor.data_ptr() or id(tensor), tensor.shape, tensor.stride())
