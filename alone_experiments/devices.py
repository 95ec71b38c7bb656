"""Where tensors are: the processor or the GPU."""

from __future__ import annotations

import torch

from alone_experiments.mistakes import Mistake


def refuse_missing_gpu(device: str) -> None:
    """Refuse ``--device cuda`` where PyTorch has no GPU.

    Args:
        device: ``cpu`` or ``cuda``.

    Raises:
        Mistake: If it is the GPU and there is none.
    """
    if device == "cuda" and not torch.cuda.is_available():
        raise Mistake("--device cuda: there is no GPU that PyTorch can use")
