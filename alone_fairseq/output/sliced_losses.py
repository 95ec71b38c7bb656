"""Losses over all words of a vocabulary that is never there as a whole."""

from __future__ import annotations

from collections.abc import Iterable

import torch
import torch.nn.functional as F
from torch import Tensor

from .base import OutputLayer
from .chunked_cross_entropy import LOGITS_AT_ONCE


@torch.no_grad()
def sliced_losses(
    layer: OutputLayer, hidden: Tensor, target: Tensor, slices: Iterable[Tensor]
) -> tuple[Tensor, Tensor]:
    """Score tokens, the vectors of some words at a time made and forgotten.

    Args:
        layer: The output layer.
        hidden: Decoder states, ``(N, D)``.
        target: Indices of the right words, int64, ``(N,)``.
        slices: Consecutive words, int64, all of the vocabulary together, as
            :meth:`OutputLayer.slices` gives them.

    Returns:
        -log p_y of the right words, and Σ_w -log p_w over all words, each ``(N,)``, in
        single precision (double if ``hidden`` is), without gradients.
    """
    wide = torch.promote_types(hidden.dtype, torch.float32)
    norms = hidden.new_full((len(hidden),), -torch.inf, dtype=wide)
    totals, right = torch.zeros_like(norms), torch.zeros_like(norms)
    bias, vocabulary = layer.bias, 0
    for words in slices:
        vocabulary += len(words)
        states, weights = layer.factors_of(hidden, words)
        tokens = max(1, LOGITS_AT_ONCE // len(words))
        for first in range(0, len(hidden), tokens):
            part = slice(first, first + tokens)
            logits = F.linear(states[part], weights).to(wide)
            if bias is not None:
                logits += bias.values[words]
            norms[part] = torch.logaddexp(norms[part], logits.logsumexp(-1))
            totals[part] += logits.sum(-1)
            places = target[part] - words[0]
            here = (places >= 0) & (places < len(words))
            found = logits.gather(-1, places.clamp(0, len(words) - 1)[:, None])
            right[part] += torch.where(here, found[:, 0], 0.0)
    return norms - right, vocabulary * norms - totals
