"""The vectors that a feed-forward network gives all words, whatever their number."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from .slices import slices_of, table_in_slices
from .tiles import FirstLayer, two_layers_in_tiles

KEPT_BYTES = 128 * 2**20
"""A table whose inputs and inner values take no more is not built twice in a training
step: memory that any machine that trains a Transformer can spare."""


def network_table(
    words: Tensor, first: FirstLayer, upper: Sequence[Tensor], keep_inner: bool
) -> Tensor:
    """Send all words through a network with a ReLU after each layer but the last.

    Inputs and inner values, ``V (input_size + H)`` for two layers, are kept for the way
    back where they are few. Else no more than a part is in memory at a time, and the
    way back computes it again: in tiles of words and inner values where that can be,
    and in slices of words elsewhere. There is no second derivative where tiles are
    used.

    Args:
        words: Word indices, int64, ``(V)``.
        first: The first layer.
        upper: Weights of the layers after it, each ``(size out, size in)``.
        keep_inner: Keep inputs and inner values, however many they are.

    Returns:
        Vectors, ``(V, D)``.
    """

    def build(part: Tensor) -> Tensor:
        values = first(part)
        for matrix in upper:
            values = F.linear(F.relu(values, inplace=True), matrix)
        return values

    sizes = [first.weights.size(first.dim), *(matrix.size(0) for matrix in upper)]
    values_kept = words.numel() * (first.input_size + sum(sizes[:-1]))
    small = values_kept * first.weights.element_size() <= KEPT_BYTES
    keep = small or keep_inner
    if not keep and len(upper) == 1 and _tiles_can_be_used(first.weights):
        return two_layers_in_tiles(first, upper[0], words)
    slices = slices_of(words, max(first.input_size, *sizes))
    return table_in_slices(build, slices, [first.weights, *upper], keep)


def _tiles_can_be_used(weights: Tensor) -> bool:
    # Tiles are sums rounded to the type of the weights, too coarse in 16 bits, to
    # which autocast rounds too; they have not been measured on GPUs; torch.compile
    # cannot look into them.
    exact = weights.dtype in (torch.float32, torch.float64)
    other = torch.is_autocast_enabled("cpu") or torch.compiler.is_compiling()
    return weights.is_cpu and exact and not other
