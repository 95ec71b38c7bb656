"""Cross-entropy of a softmax over a sample of the words."""

from __future__ import annotations

import torch
from torch import Tensor

from .chunked_cross_entropy import chunked_cross_entropy


def sampled_cross_entropy(
    hidden: Tensor,
    weights: Tensor,
    target: Tensor,
    epsilon: float,
    stands_for: Tensor,
    bias: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Sum the losses of tokens, with a softmax over a sample of the words.

    With scores s, and a word j of the sample that stands for w_j words of the
    vocabulary, W = Σ_j w_j in all, a token with target y has the loss

        log Σ_j w_j exp(s_j) - s_y  +  ε W / (W - 1) (s_y - Σ_j w_j s_j / W)

    whose second part is label smoothing. If every word is in the sample, and w_j is 1,
    it is the loss of fairseq's label-smoothed cross-entropy. If w_j is 1 for words that
    are in every sample and 1 / q for those that are drawn with probability q, the sum
    of exponentials and the second part are, on average over samples, those of all words
    (the correction by log q of Jean et al., 2015); the loss is a little smaller, since
    the logarithm of a mean is no less than the mean of logarithms.

    Args:
        hidden: Decoder states, ``(N, r)``.
        weights: Weights of the words of the sample, ``(K, r)``, K of two or more, in
            the type of ``hidden``.
        target: Places of the right words in the sample, int64 in ``[0, K)``, ``(N,)``.
        epsilon: Label smoothing ε, in ``[0, 1]``.
        stands_for: The w_j, positive, ``(K)``; 1 for words that are right anywhere.
        bias: Added to the scores, ``(K)``, of any floating type; none if left out.

    Returns:
        The sums of the losses and of their first parts, as
        :func:`~.chunked_cross_entropy.chunked_cross_entropy` gives them; gradients flow
        through the former only.
    """
    wide = torch.promote_types(hidden.dtype, torch.float32)
    stands_for = stands_for.to(wide)
    own = torch.zeros_like(stands_for) if bias is None else bias.to(wide)
    loss, plain = chunked_cross_entropy(
        hidden, weights, target, 0.0, bias=own + stands_for.log()
    )
    if epsilon > 0:
        total = stands_for.sum()
        share = stands_for / total
        right = (hidden.to(wide) * weights[target].to(wide)).sum() + own[target].sum()
        # Sums over tokens would not fit into the type that autocast gives products.
        with torch.autocast(hidden.device.type, enabled=False):
            mean = share @ weights.to(wide)
            others = hidden.sum(0, dtype=wide) @ mean + len(target) * (share @ own)
        loss = loss + epsilon * total / (total - 1) * (right - others)
    return loss, plain
