"""Two layers with a ReLU between them, computed in tiles of their inner values."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

WORDS_OF_TILE = INNER_OF_TILE = 2048
"""16 MiB in single precision, of which there are three on the way back. Of the sizes
from 1,024 to 8,192 words that were tried, none took clearly less time."""


@dataclass(frozen=True)
class FirstLayer:
    """The first layer of a network, as a function of words.

    Attributes:
        inputs: Gives what the layer reads, ``(N, ...)``, of words, ``(N)``.
        apply: Gives inner values, ``(N, H)``, for inputs and the weights, and for a
            part of the weights along ``dim`` that part of the inner values. They are no
            view of others, since they are overwritten.
        weights: The weights; they may need a gradient.
        dim: Dimension of the weights whose size is ``H``.
        input_size: Numbers in a word's input; they count towards the memory.
    """

    inputs: Callable[[Tensor], Tensor]
    apply: Callable[[Tensor, Tensor], Tensor]
    weights: Tensor
    dim: int
    input_size: int

    def __call__(self, words: Tensor) -> Tensor:
        """Give the inner values of ``words``, ``(N, H)``."""
        return self.apply(self.inputs(words), self.weights)


def two_layers_in_tiles(first: FirstLayer, last: Tensor, words: Tensor) -> Tensor:
    """Give ``relu(first(words)) last^T``, keeping no inner value.

    Each tile, some of the words times some of the ``H`` inner values, is used up as
    soon as it is computed, and computed again on the way back. The gradient of ``last``
    is added up in place; that of the first weights is made for a tile's part of them,
    and added. There is no second derivative.

    Args:
        first: The first layer.
        last: Weights of the second, ``(D, H)``, in the type of the first's, which
            should have 32 bits or more, as sums over tiles are rounded to it.
        words: Word indices, int64, ``(V)``.

    Returns:
        Vectors, ``(V, D)``.
    """
    apply: Callable[..., Tensor] = _TwoLayers.apply
    return apply(first, first.weights, last, words)


class _TwoLayers(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, first: FirstLayer, weights: Tensor, last: Tensor, words: Tensor
    ) -> Tensor:
        ctx.inputs, ctx.layer, ctx.dim = first.inputs, first.apply, first.dim
        ctx.save_for_backward(weights, last, words)
        table = last.new_zeros(words.numel(), last.size(0))
        blocks, columns = _blocks(weights, first.dim), _blocks(last, 1)
        for part, rows in zip(_parts(words), _parts(table), strict=True):
            read = first.inputs(part)
            for block, column in zip(blocks, columns, strict=True):
                rows.addmm_(F.relu(first.apply(read, block), inplace=True), column.t())
        return table

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        weights, last, words = ctx.saved_tensors
        _, needs_first, needs_last, _ = ctx.needs_input_grad
        blocks = [b.requires_grad_(needs_first) for b in _blocks(weights, ctx.dim)]
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
                for each in zip(blocks, columns, sums, strict=True):
                    tile(read, rows, *each)
        of_blocks = [block.grad for block in blocks if block.grad is not None]
        of_first = torch.cat(of_blocks, ctx.dim) if needs_first else None
        of_last = torch.cat(sums, 1) if needs_last else None
        return None, of_first, of_last, None


def _parts(rows: Tensor) -> tuple[Tensor, ...]:
    parts: tuple[Tensor, ...] = rows.split(WORDS_OF_TILE)
    return parts


def _blocks(weights: Tensor, dim: int) -> list[Tensor]:
    # Copies: products of contiguous factors take less time, and each collects its
    # gradient.
    parts = weights.detach().split(INNER_OF_TILE, dim)
    return [part.clone(memory_format=torch.contiguous_format) for part in parts]
