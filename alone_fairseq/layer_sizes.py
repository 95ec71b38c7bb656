"""Which of fairseq's flags the shapes of a model's state follow from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from .embeddings.description import decode, explain

_OUTPUT = "decoder.output_projection."
_OF_OUTPUT = ("--output-layer", "--joint-dim", "--joint-structure", "--softmax-bias")
_OF_LSTM = (
    *("encoder.lstm.weight_ih_l0", "encoder.lstm.weight_hh_l0"),
    *("decoder.layers.0.weight_ih", "decoder.layers.0.weight_hh"),
)
_OF_CONVS2S = ("encoder.fc1.weight_v", "decoder.fc1.weight_v")


def layer_sizes(state: Mapping[str, Any]) -> dict[str, int | str]:
    """Read the sizes of encoder and decoder off the names and shapes of their layers.

    Args:
        state: State of a Transformer, an LSTM or a ConvS2S of fairseq's, or of another
            model.

    Returns:
        Values by flags, those of our output layers among them; none for a model of
        another kind. A ConvS2S says the sizes of its embeddings only.
    """
    found = _output_layer(state)
    if found:
        found["--softmax-bias"] = _softmax_bias(state)
    for side in ("encoder", "decoder"):
        start = f"{side}.layers."
        numbers = {name.split(".")[2] for name in state if name.startswith(start)}
        if not numbers:
            continue
        found[f"--{side}-layers"] = len(numbers)
        inner = state.get(f"{start}{min(numbers)}.fc1.weight")
        if isinstance(inner, Tensor) and inner.dim() == 2:
            found[f"--{side}-ffn-embed-dim"], found[f"--{side}-embed-dim"] = inner.shape
    if all(name in state for name in _OF_LSTM):
        found |= _lstm_sizes(state)
    if all(name in state for name in _OF_CONVS2S):
        for name in _OF_CONVS2S:
            found[f"--{name.partition('.')[0]}-embed-dim"] = state[name].size(1)
    return found


def _output_layer(state: Mapping[str, Any]) -> dict[str, int | str]:
    names = {n.removeprefix(_OUTPUT) for n in state if n.startswith(_OUTPUT)}
    if {"word_map.weight", "state_map.weight"} <= names:
        joint = len(state[f"{_OUTPUT}word_map.weight"])
        return {"--output-layer": "joint", "--joint-dim": joint}
    if "description_version" in names:  # of one map
        structure = decode(state[f"{_OUTPUT}description_version"]).get("structure")
        if structure == "bilinear":
            return {"--output-layer": "bilinear"}
        return {"--output-layer": "joint", "--joint-structure": str(structure)}
    if "embedding.description_version" in names:
        return {"--output-layer": "tied"}
    # fairseq's own models have such a matrix where they are tied, too.
    if "weight" in names and "decoder.embed_tokens.weight" not in state:
        return {"--output-layer": "dense"}
    return {}


def _softmax_bias(state: Mapping[str, Any]) -> str:
    if f"{_OUTPUT}bias.values" in state:
        return "trained"
    return "unigram" if f"{_OUTPUT}bias.description_version" in state else "none"


def _lstm_sizes(state: Mapping[str, Any]) -> dict[str, int | str]:
    reads, encodes, hears, decodes = (state[name].size(1) for name in _OF_LSTM)
    start = "encoder.lstm.weight_hh_l"
    layers = [name.removeprefix(start) for name in state if name.startswith(start)]
    forwards = [layer for layer in layers if layer.isdecimal()]
    return {
        "--encoder-layers": len(forwards),
        "--encoder-bidirectional": len(layers) > len(forwards),
        "--encoder-embed-dim": reads,
        "--encoder-hidden-size": encodes,
        # It reads what it said before beside a word.
        "--decoder-embed-dim": hears - decodes,
        "--decoder-hidden-size": decodes,
    }


def explain_layers(theirs: Mapping[str, Any], mine: Mapping[str, Any]) -> str | None:
    """Say in one line which flags a checkpoint was trained with other values of.

    Args:
        theirs: State of the checkpoint.
        mine: State of the model that is to be loaded.

    Returns:
        The line; ``None`` where no such flag differs.
    """
    given, wanted = layer_sizes(mine), layer_sizes(theirs)
    if ("--output-layer" in given) != ("--output-layer" in wanted):
        # fairseq's own models have no such flag.
        given, wanted = (
            {flag: value for flag, value in sizes.items() if flag not in _OF_OUTPUT}
            for sizes in (given, wanted)
        )
    if not wanted or given == wanted:
        return None
    return explain(wanted, given, "the checkpoint")
