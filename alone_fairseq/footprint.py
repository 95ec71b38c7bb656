"""What an embedding costs: the numbers that every table shows."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn


@dataclass(frozen=True)
class Footprint:
    """Size of an embedding.

    Attributes:
        trained_values: Numbers that training changes.
        stored_values: Numbers that a checkpoint must hold, frozen ones included.
        stored_bytes: Bytes of all that the embedding writes to a checkpoint, in the
            precision it has now; it includes the description that is compared
            when the checkpoint is loaded.
    """

    trained_values: int
    stored_values: int
    stored_bytes: int

    def __add__(self, other: Footprint) -> Footprint:
        """Measure two things together, which share nothing."""
        return Footprint(
            self.trained_values + other.trained_values,
            self.stored_values + other.stored_values,
            self.stored_bytes + other.stored_bytes,
        )


def measure(module: nn.Module) -> Footprint:
    """Measure a module by its parameters and by what its ``state_dict`` holds.

    Args:
        module: Any module; one on the ``meta`` device costs no memory.

    Returns:
        Its footprint. What a module holds under two names, such as an embedding tied
        to the softmax, counts once; buffers that are not stored count as nothing.
    """
    parameters = list(module.parameters())
    # The parameters and buffers themselves rather than views of them, so that those
    # with two names are known by their identity, on the ``meta`` device too.
    stored = {id(t): t for t in module.state_dict(keep_vars=True).values()}.values()
    return Footprint(
        trained_values=sum(p.numel() for p in parameters if p.requires_grad),
        stored_values=sum(p.numel() for p in parameters),
        stored_bytes=sum(t.numel() * t.element_size() for t in stored),
    )


def is_only_measured() -> bool:
    """Tell whether tensors are now made on the ``meta`` device, without any values."""
    return torch.empty(0).is_meta
