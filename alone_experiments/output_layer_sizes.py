"""What output layers cost: trained values, and capacities of Pappas et al. (2018)."""

from __future__ import annotations

import argparse

import torch

from alone_fairseq.embeddings import LookupEmbedding
from alone_fairseq.errors import AloneError
from alone_fairseq.output import (
    OUTPUT_LAYERS,
    JointConfig,
    JointProjection,
    build_output_layer,
    refuse_other_options,
)


def own_values(
    layer: str, options: argparse.Namespace, vocabulary: int, dim: int, states: int
) -> int:
    """Count the trained values that an output layer does not share with an embedding.

    Args:
        layer: Name of a registered layer.
        options: Namespace with the layer's options, if any.
        vocabulary: Vocabulary size ``|V|``.
        dim: Size ``d`` of word vectors.
        states: Size ``d_h`` of the decoder's states.

    Raises:
        AloneError: If there is no such layer, or an option is out of range.
    """
    try:
        with torch.device("meta"):
            embedding = LookupEmbedding(vocabulary, dim)
            built = build_output_layer(layer, embedding, states, options)
    except (RuntimeError, TypeError, OverflowError) as error:
        raise AloneError(
            f"no output layer {layer} can be as large as this vocabulary, vector size"
            " and options of the layer"
        ) from error
    shared = {id(parameter) for parameter in embedding.parameters()}
    return sum(p.numel() for p in built.parameters() if id(p) not in shared)


def capacity(
    layer: str, options: argparse.Namespace, vocabulary: int, dim: int, states: int
) -> int | None:
    """Compute the capacity of an output layer by the paper's equations.

    All have a bias of ``|V|``: dense ``|V| d_h + |V|`` (Eq. 8); tied as much, of which
    ``|V|`` are the layer's own (Eq. 9); bilinear ``d d_h + |V|`` (Eq. 10); joint
    ``d d_j + d_j d_h + |V|`` (Eq. 16), without the ``2 d_j`` biases of its maps. The
    ablations of Eq. 7 have one matrix as the bilinear layer has.

    Args:
        layer: Name of a layer.
        options: As in :func:`own_values`.
        vocabulary: As in :func:`own_values`.
        dim: As in :func:`own_values`.
        states: As in :func:`own_values`.

    Returns:
        Values; ``None`` for a layer that the paper does not have.
    """
    config = JointConfig.from_namespace(options)
    if layer == "joint" and config.joint_structure == "both":
        joint = config.joint_dim or states
        return dim * joint + joint * states + vocabulary
    matrices = {
        "dense": vocabulary * states,
        "tied": 0,
        "bilinear": dim * states,
        "joint": dim * states,
    }
    return matrices[layer] + vocabulary if layer in matrices else None


def list_output_layers(
    chosen: str, options: argparse.Namespace, vocabulary: int, dim: int
) -> list[str]:
    """List the sizes of one output layer, or of all.

    Args:
        chosen: Name of a layer, or ``all``.
        options: Namespace with options of layers, and ``state_dim``.
        vocabulary: Vocabulary size of the output.
        dim: Size of word vectors.

    Returns:
        Lines: what the table is of, its head, and the layers.

    Raises:
        AloneError: As :func:`own_values`, or if there is an option of another layer.
    """
    if chosen != "all":
        refuse_other_options(options)
    states = options.state_dim or dim
    lines = [
        f"Output layers with V = {vocabulary:,}, D = {dim}, states of {states}",
        f"{'layer':<18}{'values of its own':>18}{'capacity with a bias of V':>28}",
    ]
    for name in OUTPUT_LAYERS if chosen == "all" else [chosen]:
        if name == "tied" and states != dim:
            lines.append(f"{name:<18}{f'needs states of {dim}':>46}")
            continue
        sizes = (name, options, vocabulary, dim, states)
        found = capacity(*sizes)
        shown = "" if found is None else f"{found:,}"
        label = _label(name, options, states)
        lines.append(f"{label:<18}{own_values(*sizes):>18,}{shown:>28}")
    return lines


def _label(name: str, options: argparse.Namespace, states: int) -> str:
    if OUTPUT_LAYERS[name] is not JointProjection:
        return name
    config = JointConfig.from_namespace(options)
    if config.joint_structure != "both":
        return f"{name} {config.joint_structure}"
    return f"{name} {config.joint_dim or states}"
