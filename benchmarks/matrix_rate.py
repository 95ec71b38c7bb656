"""The matrix rate of the machine: what a network could reach at best."""

from __future__ import annotations

import torch

from .flops import product_flops
from .job import DTYPES, Job
from .measure import seconds_per_call


def matrix_rate(job: Job) -> dict[str, float]:
    """Multiply two square matrices.

    Args:
        job: ``matrix_size``, precision and device.

    Returns:
        ``seconds`` a product and ``flops_per_second``.
    """
    size = job.matrix_size
    dtype = DTYPES[job.precision]
    torch.manual_seed(job.seed)
    left, right = (
        torch.randn(size, size, device=job.device).to(dtype) for _ in range(2)
    )
    seconds = seconds_per_call(lambda: left @ right, job.steps, job.warm_up)
    return {
        "seconds": seconds,
        "flops_per_second": product_flops(size, size, size) / seconds,
    }
