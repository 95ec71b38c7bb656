"""Two layers with a ReLU between them, computed in tiles of their inner values."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

WORDS_OF_TILE = INNER_OF_TILE = 2048
"""16 MiB in single precision, of which there are three on the way back. Of the sizes
from 1,024 to 8,192 words that were tried, none took clearly less time."""

Inputs = Callable[[Tensor], Tensor]
Layer = Callable[[Tensor, Tensor], Tensor]


def two_layers_in_tiles(
    inputs: Inputs, layer: Layer, first: Tensor, dim: int, last: Tensor, words: Tensor
) -> Tensor:
    """Give ``relu(layer(inputs(words), first)) last^T``, keeping no inner value.

    Each tile, some of the words times some of the ``H`` inner values, is used up as
    soon as it is computed, and computed again on the way back. The gradient of ``last``
    is added up in place; that of ``first`` is made for a tile's part of it, and added.
    There is no second derivative.

    Args:
        inputs: Gives what the first layer reads, ``(N, ...)``, of words, ``(N)``.
        layer: The first layer: gives ``(N, H)`` for inputs and ``first``, and of a part
            of ``first`` that part of the inner values.
        first: Its weights; they may need a gradient.
        dim: Dimension of ``first`` whose size is ``H``.
        last: Weights of the second layer, ``(D, H)``, in the type of ``first``, which
            should have 32 bits or more, as sums over tiles are rounded to it.
        words: Word indices, int64, ``(V)``.

    Returns:
        Vectors, ``(V, D)``.
    """
    apply: Callable[..., Tensor] = _TwoLayers.apply
    return apply(inputs, layer, first, dim, last, words)


class _TwoLayers(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        inputs: Inputs,
        layer: Layer,
        first: Tensor,
        dim: int,
        last: Tensor,
        words: Tensor,
    ) -> Tensor:
        ctx.inputs, ctx.layer, ctx.dim = inputs, layer, dim
        ctx.save_for_backward(first, last, words)
        table = last.new_zeros(words.numel(), last.size(0))
        blocks, columns = _blocks(first, dim), _blocks(last, 1)
        for part, rows in zip(_parts(words), _parts(table), strict=True):
            read = inputs(part)
            for block, column in zip(blocks, columns, strict=True):
                rows.addmm_(F.relu(layer(read, block), inplace=True), column.t())
        return table

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        first, last, words = ctx.saved_tensors
        needs_first, needs_last = ctx.needs_input_grad[2], ctx.needs_input_grad[4]
        blocks = [b.requires_grad_(needs_first) for b in _blocks(first, ctx.dim)]
        columns = _blocks(last, 1)
        sums = [torch.zeros_like(column) for column in columns]

        # A function, so that nothing of a tile is there when the next one is made.
        def tile(
            read: Tensor, rows: Tensor, block: Tensor, column: Tensor, total: Tensor
        ) -> None:
            with torch.enable_grad():
                inner = F.relu(ctx.layer(read, block), inplace=True)
            if needs_last:
                total.addmm_(rows.t(), inner.detach())
            if needs_first:
                inner.backward(rows @ column)

        # The way back may begin under autocast though the table was made without.
        with torch.autocast("cpu", enabled=False):
            for part, rows in zip(_parts(words), _parts(gradient), strict=True):
                read = ctx.inputs(part)
                for weights in zip(blocks, columns, sums, strict=True):
                    tile(read, rows, *weights)
        of_blocks = [block.grad for block in blocks if block.grad is not None]
        of_first = torch.cat(of_blocks, ctx.dim) if needs_first else None
        of_last = torch.cat(sums, 1) if needs_last else None
        return None, None, of_first, None, of_last, None


def _parts(rows: Tensor) -> tuple[Tensor, ...]:
    parts: tuple[Tensor, ...] = rows.split(WORDS_OF_TILE)
    return parts


def _blocks(weights: Tensor, dim: int) -> list[Tensor]:
    # Copies: products of contiguous factors take less time, and each collects its
    # gradient.
    parts = weights.detach().split(INNER_OF_TILE, dim)
    return [part.clone(memory_format=torch.contiguous_format) for part in parts]
