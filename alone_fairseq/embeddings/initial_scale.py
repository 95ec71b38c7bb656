"""A start with vectors as large as those of a look-up table."""

import torch
from torch import Tensor

from .base import CompactEmbedding

ROWS = 1024
"""Rows by which the size of the vectors is measured."""


def take_scale_of_lookup(embedding: CompactEmbedding, factor_of: Tensor) -> None:
    """Give vectors the deviation ``D^-0.5`` of a look-up table's.

    Args:
        embedding: Its vectors are proportional to ``factor_of``, so that one factor on
            that does it.
        factor_of: A parameter of the embedding; it is multiplied in place.
    """
    with torch.no_grad():
        some = torch.arange(min(embedding.num_embeddings, ROWS))
        found = embedding.rows(some.to(factor_of.device)).square().mean().sqrt()
        factor = embedding.embedding_dim**-0.5 / found
        # Where no word gets through the ReLU, no factor helps.
        factor_of.mul_(torch.where(found > 0, factor, 1.0))
