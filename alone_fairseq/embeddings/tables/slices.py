"""A table built slice by slice: what one takes does not grow with the vocabulary."""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.utils.checkpoint import checkpoint

VALUES_AT_A_TIME = 6 * 2**20
"""Values in the widest layer of the words of a slice: bounds their memory, on a CPU to
24 MiB. Blocks of 32 MiB malloc gives back to the system after each slice, unless told
otherwise, and getting them again took a sixth of the time. Elsewhere eight times as
many, since starting many small kernels takes time."""


def slices_of(words: Tensor, width: int) -> tuple[Tensor, ...]:
    """Cut words into slices that are built together.

    Args:
        words: Word indices, int64, ``(V)``.
        width: Most values that one word takes at a time while its vector is built.

    Returns:
        The slices, in order; each has at least one word.
    """
    slices: tuple[Tensor, ...] = words.split(max(1, _at_a_time(words) // width))
    return slices


def slices_by_size(words: Tensor, values: Tensor) -> tuple[Tensor, ...]:
    """Cut words of unlike sizes into slices that are built together.

    Args:
        words: Word indices, int64, ``(V)``.
        values: Values that each of them takes while its vector is built, int64,
            ``(V)``.

    Returns:
        The slices, in order, an empty one of no words; else each has at least one word,
        and beside its first one no more than a slice may have.
    """
    slice_of = values.cumsum(0) // _at_a_time(words)
    counts: list[int] = slice_of.unique_consecutive(return_counts=True)[1].tolist()
    slices: tuple[Tensor, ...] = words.split(counts or [0])
    return slices


def _at_a_time(words: Tensor) -> int:
    return VALUES_AT_A_TIME if words.is_cpu else 8 * VALUES_AT_A_TIME


def table_in_slices(
    build: Callable[[Tensor], Tensor],
    slices: tuple[Tensor, ...],
    weights: Iterable[Tensor],
    keep: bool,
) -> Tensor:
    """Build a table one slice after the other.

    Args:
        build: Gives the vectors, ``(N, D)``, of a slice, always the same ones.
        slices: Words, ``(N)``, as :func:`slices_of` gives them, or values of words,
            ``(N, ...)``, which may need a gradient.
        weights: All that ``build`` reads and that may need a gradient.
        keep: Keep what the way back needs. If not, it is computed again slice by slice,
            and there is no second derivative.

    Returns:
        Vectors, ``(V, D)``.
    """
    if keep or not torch.is_grad_enabled():
        return torch.cat([build(part) for part in slices])
    if torch.compiler.is_compiling():
        # It cannot look into a function of our own, and frees memory by its own plan.
        return torch.cat([checkpoint(build, s, use_reentrant=False) for s in slices])
    needed = [each for each in weights if each.requires_grad]
    apply: Callable[..., Tensor] = _InSlices.apply
    return apply(build, len(slices), *slices, *needed)


class _InSlices(torch.autograd.Function):
    """Builds slices without a graph, and each again, with its own, on the way back.

    ``torch.utils.checkpoint`` keeps the graphs of all slices until then. Small as they
    are, they lie between the values of slices that are done, so that malloc could not
    use their memory for the next one: up to ten times that of a large table.
    """

    @staticmethod
    def forward(
        ctx: Any, build: Callable[[Tensor], Tensor], count: int, *given: Tensor
    ) -> Tensor:
        ctx.build, ctx.count = build, count
        ctx.save_for_backward(*given)
        kind = given[0].device.type
        ctx.autocast = {
            "device_type": kind,
            "enabled": torch.is_autocast_enabled(kind),
            "dtype": torch.get_autocast_dtype(kind),
        }
        return torch.cat([build(part) for part in given[:count]])

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        slices = ctx.saved_tensors[: ctx.count]
        weights = ctx.saved_tensors[ctx.count :]
        of_slices: list[Tensor | None] = []
        of_weights: list[Tensor | None] = [None] * len(weights)
        parts = zip(slices, gradient.split([*map(len, slices)]), strict=True)
        for part, of_vectors in parts:
            read = part.detach().requires_grad_(part.requires_grad)
            with torch.enable_grad(), torch.autocast(**ctx.autocast):
                vectors = ctx.build(read)
            needed = [*weights, read] if part.requires_grad else weights
            found = list(
                torch.autograd.grad(vectors, needed, of_vectors, allow_unused=True)
            )
            of_slices.append(found.pop() if part.requires_grad else None)
            for number, new in enumerate(found):
                total = of_weights[number]
                if new is not None:
                    of_weights[number] = (
                        new.clone() if total is None else total.add_(new)
                    )
        return None, None, *of_slices, *of_weights
