"""The mean of a ReLU over random filters, in closed form."""

import math

import torch
from torch import Tensor


def mean_of_relu(matrix: Tensor, mean: float, deviation: float) -> Tensor:
    """Give the mean of ``relu(W f)`` over random filters ``f``.

    The entries of ``f`` are independent. Each value ``z_k = sum_i W_ki f_i`` is a sum
    of many, so it is taken for normal, with mean ``m_k = mean sum_i W_ki`` and
    deviation ``s_k = deviation ||W_k||``; it is exactly so for real filters. Then
    the mean of ``max(z_k, 0)`` is ``m_k Phi(m_k / s_k) + s_k phi(m_k / s_k)``, with
    the distribution function and the density of the standard normal distribution.

    Args:
        matrix: Weights ``W``, ``(H, D_o)``, of any floating type.
        mean: Mean of a filter's entries.
        deviation: Their standard deviation, above 0.

    Returns:
        Means, ``(H)``, in the type of ``matrix``, with gradients for it.
    """
    # In 16 bits the norms of long rows would overflow or lose all their digits.
    wide = matrix.to(torch.promote_types(matrix.dtype, torch.float32))
    centre = mean * wide.sum(dim=1)
    spread = deviation * wide.square().sum(dim=1).clamp(min=1e-30).sqrt()
    ratio = centre / spread
    below = 0.5 * (1.0 + torch.erf(ratio / math.sqrt(2.0)))
    density = torch.exp(-0.5 * ratio.square()) / math.sqrt(2.0 * math.pi)
    return (centre * below + spread * density).to(matrix.dtype)
