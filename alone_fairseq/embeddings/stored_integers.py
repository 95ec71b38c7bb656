"""Integers that a checkpoint holds and that nothing may change."""

import torch
from torch import Tensor, nn


def store_integers(module: nn.Module, name: str, values: Tensor) -> None:
    """Register a buffer of integers that is stored with a module's trained values.

    They come unchanged through half precision, through fairseq's moving average, which
    copies what has ``version`` in its name and would decay all else, and through the
    averaging of checkpoints, whose sums of equal values do not overflow in int32.

    Args:
        module: Where the buffer is registered.
        name: Its name, with the word ``version`` in it.
        values: Integers below ``2^31`` divided by the checkpoints ever averaged.

    Raises:
        ValueError: If the name lacks the word.
    """
    if "version" not in name:
        raise ValueError(f"{name!r} lacks the word 'version'")
    module.register_buffer(name, values.to(torch.int32))
