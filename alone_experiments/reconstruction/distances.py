"""Distances between a word's vector and its reconstruction.

The five of Stratos (2017), "Reconstruction of Word Embeddings from Sub-Word
Parameters", section 3.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

Distance = Callable[[Tensor, Tensor], Tensor]


def squared(given: Tensor, made: Tensor) -> Tensor:
    """Squared Euclidean distance: the objective of Takase and Kobayashi (2020)."""
    return (given - made).square().sum(-1)


def euclidean(given: Tensor, made: Tensor) -> Tensor:
    """Euclidean distance; where the vectors are equal, its gradient is 0."""
    distances: Tensor = torch.linalg.vector_norm(given - made, dim=-1)
    return distances


def manhattan(given: Tensor, made: Tensor) -> Tensor:
    """Sum of absolute differences, L1; its gradient is 0 where entries are equal."""
    return (given - made).abs().sum(-1)


def maximum(given: Tensor, made: Tensor) -> Tensor:
    """Largest absolute difference, L-infinity; equal ones share the gradient."""
    return (given - made).abs().amax(-1)


def cosine(given: Tensor, made: Tensor) -> Tensor:
    """Negative cosine; 0 where a vector is zero."""
    return -F.cosine_similarity(given, made, dim=-1)


DISTANCES: dict[str, Distance] = {
    "squared": squared,
    "euclidean": euclidean,
    "l1": manhattan,
    "linf": maximum,
    "cosine": cosine,
}
"""All take vectors ``(..., D)`` twice, the given one first, and return ``(...)``."""
