"""Which of fairseq's flags the shapes of a model's state follow from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from .embeddings.description import explain

_JOINT = "decoder.output_projection.word_map.weight"
_OF_STATES = "decoder.output_projection.state_map.weight"


def layer_sizes(state: Mapping[str, Any]) -> dict[str, int | str]:
    """Read the sizes of encoder and decoder off the names and shapes of their layers.

    Args:
        state: State of a model of fairseq's with Transformer layers, or of any other.

    Returns:
        Values by flags, that of the joint output layer among them; none for a model
        without such layers.
    """
    found: dict[str, int | str] = {}
    if _JOINT in state and _OF_STATES in state:
        found["--output-layer"] = "joint"
        found["--joint-dim"] = len(state[_JOINT])
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
