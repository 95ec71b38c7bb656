"""The list of output layers, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..embeddings import CompactEmbedding
from ..names import find, refuse_bad_name
from .base import OutputLayer

Layer = TypeVar("Layer", bound=type[OutputLayer])

OUTPUT_LAYERS: dict[str, type[OutputLayer]] = {}


def register_output_layer(name: str) -> Callable[[Layer], Layer]:
    """Make an output layer known under ``name``, for ``--output-layer``.

    Raises:
        ValueError: If the name is taken or malformed.
    """
    refuse_bad_name(OUTPUT_LAYERS, name, "output layer")

    def register(layer: Layer) -> Layer:
        OUTPUT_LAYERS[name] = layer
        return layer

    return register


def chosen_output_layer(options: Any) -> str:
    """Name the output layer of a model.

    Args:
        options: Options of the model; old checkpoints lack ``output_layer``.

    Returns:
        What ``--output-layer`` says, or else ``tied`` or ``dense``, as fairseq's
        ``--share-decoder-input-output-embed`` and ``--share-all-embeddings`` say.
    """
    shared = ("share_decoder_input_output_embed", "share_all_embeddings")
    tied = any(getattr(options, name, False) for name in shared)
    name: str | None = getattr(options, "output_layer", None)
    return name or ("tied" if tied else "dense")


def build_output_layer(name: str, embedding: CompactEmbedding, dim: int) -> OutputLayer:
    """Build an output layer.

    Args:
        name: Name of a registered layer.
        embedding: The embedding of the decoder's input.
        dim: Size ``D`` of the decoder's states.

    Raises:
        AloneError: If there is no such layer.
    """
    return find(OUTPUT_LAYERS, name, "--output-layer")(embedding, dim)
