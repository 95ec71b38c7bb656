"""Which parameters an optimiser of ours treats in a way of their own.

fairseq gives its optimisers a list of parameters without names. What a parameter is
for is written on it, in the attribute that fairseq's own composite optimiser reads:
fairseq copies it to the single-precision copies that it makes for half precision.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torch import Tensor, nn

from ..errors import AloneError

NETWORK = "network"
"""Matrices of the network inside an embedding or an output layer, such as ALONE's W1
and W2."""
TABLE = "table"
"""Trained tables with a row a word, such as the conventional one, or a row a character
or a bucket."""
HIDDEN = "hidden"
"""Matrices of the layers of encoder and decoder."""

GROUPS = (NETWORK, TABLE, HIDDEN)
ATTRIBUTE = "param_group"


def mark(parameters: Iterable[Tensor], group: str) -> None:
    """Write on parameters what they are for; those of other shapes are left.

    Args:
        parameters: Of any shape; only matrices are marked.
        group: One of ``GROUPS``.
    """
    for parameter in parameters:
        if parameter.ndim == 2:
            setattr(parameter, ATTRIBUTE, group)


def mark_model(model: Any) -> None:
    """Mark the matrices of a model with compact embeddings.

    Args:
        model: A ``CompactModel``.
    """
    # First, since those of a tied output layer are the embedding's.
    mark(model.output_layer().parameters(), TABLE)
    mark(model.output_layer().network_matrices(), NETWORK)
    for embedding in model.compact_embeddings():
        mark(embedding.parameters(), TABLE)
        mark(embedding.network_matrices().values(), NETWORK)
    mark(model.hidden_matrices(), HIDDEN)


def read_groups(text: str, flag: str) -> tuple[str, ...]:
    """Read the value of a flag that names groups.

    Args:
        text: Names of groups, separated by commas.
        flag: The flag, for errors.

    Raises:
        AloneError: If there is no such group.
    """
    groups = tuple(name.strip() for name in text.split(",") if name.strip())
    unknown = [name for name in groups if name not in GROUPS]
    if unknown or not groups:
        raise AloneError(
            f"{flag} must be some of {', '.join(GROUPS)}, separated by commas, not"
            f" '{text}'"
        )
    return groups


def split(
    parameters: Iterable[nn.Parameter], groups: tuple[str, ...], optimizer: str
) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
    """Take the parameters of some groups out of all.

    Args:
        parameters: What fairseq gives the optimiser.
        groups: Names of groups.
        optimizer: Name of the optimiser, for errors.

    Returns:
        Those of the groups, and the rest.

    Raises:
        AloneError: If there is none of a group, with the reason.
    """
    every = list(parameters)
    chosen = [p for p in every if getattr(p, ATTRIBUTE, None) in groups]
    missing = set(groups) - {getattr(p, ATTRIBUTE, None) for p in chosen}
    if missing:
        raise AloneError(_why_none(every, sorted(missing), optimizer))
    rest = [p for p in every if getattr(p, ATTRIBUTE, None) not in groups]
    return chosen, rest


def _why_none(parameters: list[nn.Parameter], groups: list[str], optimizer: str) -> str:
    if len(parameters) == 1 and parameters[0].ndim == 1:
        return (
            f"--optimizer {optimizer} needs the matrices, and --fp16 makes one vector"
            " of all parameters: add --fp16-no-flatten-grads"
        )
    there = {getattr(p, ATTRIBUTE, None) for p in parameters} & {*GROUPS}
    has = ", ".join(sorted(map(str, there))) or "none"
    return (
        f"--optimizer {optimizer}: the model has no trained matrix of the group"
        f" {' or '.join(groups)} (it has {has}): choose --optimizer adam, or another"
        " group"
    )
