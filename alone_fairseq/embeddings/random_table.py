"""A random table that is never trained nor stored: the control."""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.random import RandomState
from torch import Tensor

from .base import CompactEmbedding, TableSize
from .options import SEEDS, MethodOptions, option
from .registry import register_embedding


@dataclass
class RandomTableConfig(MethodOptions):
    """Options of the random table."""

    random_table_seed: int = option(
        1, "seed from which the random table follows", at_least=0, below=SEEDS
    )


@register_embedding("random", RandomTableConfig)
class RandomTableEmbedding(CompactEmbedding):
    """A frozen random vector a word, ``e_w = R[w]``: what is training worth?"""

    vectors: Tensor

    rows_are_cheap = True

    def lay_out(self, config: RandomTableConfig, size: TableSize) -> None:
        """Make room for the table, which takes ``V * D`` values while in use."""
        del config
        self.checksum = hashlib.sha256(b"").hexdigest()[:16]
        vectors = torch.empty(size[:2])
        self.register_buffer("vectors", vectors, persistent=False)

    def reset_parameters(self) -> None:
        """Draw normal vectors of deviation ``D^-0.5`` from the seed.

        They are drawn in single precision, whatever the type of the table is.
        """
        generator = RandomState(self.config.random_table_seed)
        drawn_bytes = hashlib.sha256()
        for row in self.vectors:  # row by row: no second table in double precision
            drawn = generator.standard_normal(self.embedding_dim)
            scaled = (drawn * self.embedding_dim**-0.5).astype(np.float32)
            row.copy_(torch.from_numpy(scaled))
            drawn_bytes.update(scaled.tobytes())
        self.checksum = drawn_bytes.hexdigest()[:16]

    def description(self) -> dict[str, Any]:
        """Name the seed and the table that came of it."""
        return {
            **super().description(),
            "seed": self.config.random_table_seed,
            "dim": self.embedding_dim,
            "checksum": self.checksum,
        }

    def rows(self, tokens: Tensor) -> Tensor:
        """Look ``tokens`` up; see the base class."""
        return F.embedding(tokens, self.vectors)

    def table(self) -> Tensor:
        """Return the table itself, ``(V, D)``."""
        return self.vectors
