"""Which of fairseq's flags the shapes of a model's state follow from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from .embeddings.description import explain


def layer_sizes(state: Mapping[str, Any]) -> dict[str, int]:
    """Read the sizes of encoder and decoder off the names and shapes of their layers.

    Args:
        state: State of a model of fairseq's with Transformer layers, or of any other.

    Returns:
        Values by flags; none for a model without such layers.
    """
    found: dict[str, int] = {}
    for side in ("encoder", "decoder"):
        start = f"{side}.layers."
        numbers = {name.split(".")[2] for name in state if name.startswith(start)}
        if not numbers:
            continue
        found[f"--{side}-layers"] = len(numbers)
        inner = state.get(f"{start}{min(numbers)}.fc1.weight")
        if isinstance(inner, Tensor) and inner.dim() == 2:
            found[f"--{side}-ffn-embed-dim"], found[f"--{side}-embed-dim"] = inner.shape
    return found


def explain_layers(theirs: Mapping[str, Any], mine: Mapping[str, Any]) -> str | None:
    """Say in one line which flags a checkpoint was trained with other values of.

    Args:
        theirs: State of the checkpoint.
        mine: State of the model that is to be loaded.

    Returns:
        The line; ``None`` where no such flag differs.
    """
    given, wanted = layer_sizes(mine), layer_sizes(theirs)
    if not wanted or given == wanted:
        return None
    return explain(wanted, given, "the checkpoint")
