"""What a checkpoint says of an embedding's unstored parts, as a small tensor.

It travels as a tensor because fairseq's checkpoints, moving average and averaging
handle nothing else; as int32 because sums of equal int32 character codes, as an
averaging tool makes them, cannot overflow.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from ..errors import AloneError
from .options import flag_of

if TYPE_CHECKING:
    from .base import CompactEmbedding


CHECKPOINT = "the checkpoint's embedding"
REMEDY = (
    "use the flags and the dictionary of the training (ALONE as in its paper: --arch"
    " ..._published), or another --save-dir"
)


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


def explain(
    theirs: Mapping[str, Any],
    mine: Mapping[str, Any],
    whose: str = CHECKPOINT,
    remedy: str = REMEDY,
) -> str:
    """Say in one line how a checkpoint's description differs from the model's.

    Args:
        theirs: Description found in the checkpoint.
        mine: Description of the model that is to be loaded.
        whose: What ``theirs`` describes.
        remedy: What the user can do.

    Returns:
        The differing entries of both sides, and the remedy.
    """
    names = sorted(
        name
        for name in {*theirs, *mine}
        if theirs.get(name) != mine.get(name) and name != "checksum"
    ) or ["checksum"]
    of_checkpoint, of_model = (
        ", ".join(_entry(name, each) for name in names) for each in (theirs, mine)
    )
    return f"{whose} has {of_checkpoint}; the model has {of_model}: {remedy}"


def _entry(name: str, description: Mapping[str, Any]) -> str:
    value = description.get(name, False)
    if isinstance(value, bool):  # a flag without a value, or no entry at all
        return name if value else f"no {name}"
    return f"{name}={value}"


def refuse_other(
    embedding: CompactEmbedding,
    state: Mapping[str, Tensor],
    whose: str = CHECKPOINT,
    remedy: str = REMEDY,
) -> None:
    """Refuse the state of an embedding with other options.

    Args:
        embedding: The embedding that the state is to be loaded into.
        state: Tensors by the embedding's own names, the description among them.
        whose: What the state is of.
        remedy: What the user can do.

    Raises:
        AloneError: In one line that names the flags, and both values of each.
    """
    mine, theirs = (
        decode(each["description_version"]) for each in (embedding.state_dict(), state)
    )
    if mine.get("method") != theirs.get("method"):
        mine, theirs = ({"method": each.get("method")} for each in (mine, theirs))
    else:
        wanted, given = (
            embedding.config.sizes_in(
                {name: tuple(t.shape) for name, t in each.items()}
            )
            for each in (state, embedding.state_dict())
        )
        # Not all tensors need be there.
        both = wanted.keys() & given.keys()
        theirs |= {name: wanted[name] for name in both}
        mine |= {name: given[name] for name in both}
    if theirs != mine:
        options = [*vars(embedding.config)]
        theirs, mine = (
            {_flag(name, options): value for name, value in each.items()}
            for each in (theirs, mine)
        )
        raise AloneError(explain(theirs, mine, whose, remedy))


def _flag(name: str, options: list[str]) -> str:
    """Name the flag behind an entry of a description, where there is one."""
    if name == "method":
        return "--embedding-method"
    found = [option for option in options if f"_{option}".endswith(f"_{name}")]
    return flag_of(found[0]) if found else name
