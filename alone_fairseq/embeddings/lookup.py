"""The conventional embedding matrix, as the baseline behind the same interface."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .base import CompactEmbedding, TableSize
from .options import MethodOptions
from .registry import register_embedding


@dataclass
class LookupConfig(MethodOptions):
    """The conventional embedding has no options of its own."""


@register_embedding("lookup", LookupConfig)
class LookupEmbedding(CompactEmbedding):
    """One trained vector a word, ``e_w = E[w]``: fairseq's own, of ``V x D`` values."""

    rows_are_cheap = True

    def lay_out(self, config: LookupConfig, size: TableSize) -> None:
        """Make the matrix; see the base class."""
        del config
        self.vectors = nn.Parameter(
            torch.empty(size.num_embeddings, size.embedding_dim)
        )

    def reset_parameters(self) -> None:
        """Draw normal vectors of deviation ``D^-0.5``, as fairseq does."""
        nn.init.normal_(self.vectors, mean=0.0, std=self.embedding_dim**-0.5)
        if self.padding_idx is not None:
            nn.init.zeros_(self.vectors[self.padding_idx])

    def take_vectors(self, vectors: Tensor) -> None:
        """Copy them; see the base class."""
        with torch.no_grad():
            self.vectors.copy_(vectors)

    def rows(self, tokens: Tensor) -> Tensor:
        """Look ``tokens`` up; see the base class."""
        return F.embedding(tokens, self.vectors)

    def table(self) -> Tensor:
        """Return the matrix itself, ``(V, D)``."""
        return self.vectors
