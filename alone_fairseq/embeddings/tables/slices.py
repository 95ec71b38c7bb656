"""A table built slice by slice: what one takes does not grow with the vocabulary."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor
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
    build: Callable[[Tensor], Tensor], slices: tuple[Tensor, ...], keep: bool
) -> Tensor:
    """Build a table one slice after the other.

    Args:
        build: Gives the vectors, ``(N, D)``, of words, ``(N)``, always the same ones.
        slices: Word indices, as :func:`slices_of` gives them.
        keep: Keep what the way back needs. If not, it is computed again slice by slice.

    Returns:
        Vectors, ``(V, D)``.
    """
    if not keep and torch.is_grad_enabled():
        build = partial(
            checkpoint, build, use_reentrant=False, preserve_rng_state=False
        )
    return torch.cat([build(part) for part in slices])
