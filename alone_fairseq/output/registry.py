"""The list of output layers, by name."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

from ..embeddings import CompactEmbedding, MethodOptions
from ..embeddings.options import flag_of
from ..errors import AloneError
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
    shared = (
        *("share_decoder_input_output_embed", "share_all_embeddings"),
        "share_input_output_embed",  # of ConvS2S
    )
    tied = any(getattr(options, name, False) for name in shared)
    name: str | None = getattr(options, "output_layer", None)
    return name or ("tied" if tied else "dense")


def build_output_layer(
    name: str, embedding: CompactEmbedding, dim: int, options: Any = None
) -> OutputLayer:
    """Build an output layer.

    Args:
        name: Name of a registered layer.
        embedding: The embedding of the decoder's input.
        dim: Size ``D`` of the decoder's states.
        options: Object that may have the layer's options as attributes; the others get
            their defaults.

    Raises:
        AloneError: If there is no such layer, or an option is out of range.
    """
    layer = find(OUTPUT_LAYERS, name, "--output-layer")
    return layer(embedding, dim, layer.config_class.from_namespace(options))


def layer_configs() -> list[type[MethodOptions]]:
    """List the classes of the layers' options, of those that have any."""
    found = dict.fromkeys(layer.config_class for layer in OUTPUT_LAYERS.values())
    return [config for config in found if dataclasses.fields(config)]


def refuse_other_options(options: Any) -> None:
    """Refuse options of another output layer than the chosen one.

    Args:
        options: Options of the model.

    Raises:
        AloneError: In one line, if there is such an option with another value than its
            default.
    """
    chosen = chosen_output_layer(options)
    own = find(OUTPUT_LAYERS, chosen, "--output-layer").config_class
    for config in layer_configs():
        for field in dataclasses.fields(config):
            given = getattr(options, field.name, None)
            if config is not own and given not in (None, field.default):
                owners = [
                    n for n, x in OUTPUT_LAYERS.items() if x.config_class is config
                ]
                raise AloneError(
                    f"{flag_of(field.name)} belongs to --output-layer"
                    f" {' or '.join(owners)}, and the model has {chosen}: name that"
                    " layer, or remove the flag"
                )
