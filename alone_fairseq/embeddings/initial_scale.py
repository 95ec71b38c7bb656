"""Starts that are like a look-up table's: as large vectors, or as large steps."""

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


def deviation_for_steps(rank: int, embedding_dim: int) -> float:
    """Say how large to draw a matrix ``P`` that expands the trained values of a word.

    Adam moves each trained number by about its rate ``a``, against the sign of its
    gradient. With ``g`` the gradient of a word's vector, a look-up table goes down by
    ``a sum |g|`` over ``D`` entries; values expanded by ``P`` of deviation ``s`` by
    ``a sum |P g|`` over ``r``. Both are alike, for ``g`` in no particular direction,
    with ``s = D^0.5 / r``.

    Args:
        rank: Trained values ``r`` of a word.
        embedding_dim: Vector size ``D``.

    Returns:
        The standard deviation of the entries of ``P``.
    """
    return float(embedding_dim**0.5 / rank)
