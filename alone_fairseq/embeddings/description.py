"""What a checkpoint says of an embedding's unstored parts, as a small tensor.

It travels as a tensor because fairseq's checkpoints, moving average and averaging
handle nothing else; as int32 because sums of equal int32 character codes, as an
averaging tool makes them, cannot overflow.
"""

from __future__ import annotations

import json
from typing import Any

import torch
from torch import Tensor


def encode(description: dict[str, Any]) -> Tensor:
    """Write a description as the character codes of its JSON, int32, ``(length,)``."""
    text = json.dumps(description, sort_keys=True)
    return torch.tensor(list(text.encode()), dtype=torch.int32, device="cpu")


def decode(codes: Tensor) -> dict[str, Any]:
    """Read what :func:`encode` wrote; what is unreadable comes back as such."""
    try:
        description: dict[str, Any] = json.loads(bytes(codes.tolist()))
    except (ValueError, TypeError):
        return {"unreadable": codes.tolist()}
    return description


def explain(theirs: dict[str, Any], mine: dict[str, Any]) -> str:
    """Say in one line how a checkpoint's description differs from the model's.

    Args:
        theirs: Description found in the checkpoint.
        mine: Description of the model that is to be loaded.

    Returns:
        The differing entries of both sides, and the remedy.
    """
    names = sorted(
        name
        for name in {*theirs, *mine}
        if theirs.get(name) != mine.get(name) and name != "checksum"
    ) or ["checksum"]
    of_checkpoint = ", ".join(f"{name}={theirs.get(name, 'none')}" for name in names)
    of_model = ", ".join(f"{name}={mine.get(name, 'none')}" for name in names)
    return (
        f"the checkpoint's embedding has {of_checkpoint}; the model has {of_model}:"
        " use the flags and the dictionary of the training, or another --save-dir"
    )
