"""Label-smoothed cross-entropy that never holds the logits of all tokens at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

LOGITS_AT_ONCE = 2**25
"""Logits of a chunk; 128 MiB in single precision."""


def chunked_cross_entropy(
    hidden: Tensor,
    weights: Tensor,
    target: Tensor,
    epsilon: float,
    logits_at_once: int = LOGITS_AT_ONCE,
    bias: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Sum the losses of tokens, a chunk of them at a time.

    With p = softmax(W h + b) and e = ε / (V - 1) a token with target y has the loss
    (1 - ε - e) · -log p_y + e · Σ_w -log p_w, as in fairseq, and the gradient for its
    logits is p - e - (1 - ε - e) · onehot(y).

    Args:
        hidden: Decoder states h, ``(N, D)``; D is any size.
        weights: Softmax matrix W, ``(V, D)``, in the type of ``hidden``; V of two or
            more.
        target: Indices of the right words, int64 in ``[0, V)``, ``(N,)``.
        epsilon: Label smoothing ε, in ``[0, 1]``.
        logits_at_once: Logits that may be held at a time; a chunk has at least one
            token.
        bias: The bias b, ``(V)``, of any floating type; none if left out.

    Returns:
        The sums of the losses and of -log p_y, in single precision (double if
        ``hidden`` is). Gradients flow through the first only.
    """
    if not torch.is_grad_enabled():
        # A Function is asked for gradients wherever an input could have one.
        hidden, weights = hidden.detach(), weights.detach()
        bias = None if bias is None else bias.detach()
    tokens = max(1, logits_at_once // weights.size(0))
    sums: tuple[Tensor, Tensor] = _Loss.apply(  # type: ignore[no-untyped-call] # torch's
        hidden, weights, bias, target, epsilon, tokens
    )
    return sums


class _Loss(Function):
    """The sums, with the gradients computed along with them.

    Each chunk's logits are there in the forward pass, so this is the time to go back
    through them. In fp16 it is too early: gradients need the scale that comes with the
    backward pass, so the logits are computed once more there.
    """

    @staticmethod
    def forward(
        ctx: Any,
        hidden: Tensor,
        weights: Tensor,
        bias: Tensor | None,
        target: Tensor,
        epsilon: float,
        tokens: int,
    ) -> tuple[Tensor, Tensor]:
        ctx.epsilon, ctx.tokens = epsilon, tokens
        ctx.early = hidden.dtype != torch.float16
        wanted = ctx.needs_input_grad[:3] if ctx.early else (False,) * 3
        sums = torch.zeros(2, dtype=_wide(hidden), device=hidden.device)
        gradients = _Gradients(hidden, weights, bias, wanted)
        right, other = shares_of_words(epsilon, weights.size(0))
        all_weights = weights.sum(0, dtype=sums.dtype)
        all_biases = 0.0 if bias is None else bias.sum(dtype=sums.dtype)
        for place in range(0, len(target), tokens):
            chunk = slice(place, place + tokens)
            logits = _logits(hidden[chunk], weights, bias)
            scores = logits.gather(-1, target[chunk, None])[:, 0]
            norms = _softmax(logits)
            nll = norms - scores
            # The sum of all logits, without another pass over them; and without a
            # product of matrices, which autocast would round to a type that ends at
            # 65,504.
            total = (hidden[chunk].to(sums.dtype) * all_weights).sum(-1) + all_biases
            all_words = weights.size(0) * norms - total
            sums += torch.stack([(right * nll + other * all_words).sum(), nll.sum()])
            if gradients.wanted:
                gradients.add(chunk, _back_to_logits(logits, target[chunk], epsilon))
        loss, nll_loss = (each.clone() for each in sums)
        ctx.mark_non_differentiable(nll_loss)
        if ctx.early:
            ctx.save_for_backward(*gradients.found())
        else:
            ctx.save_for_backward(hidden, weights, bias, target)
        return loss, nll_loss

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, scale: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        if ctx.early:
            found = ctx.saved_tensors
            scaled = [None if each is None else each * scale for each in found]
            return *scaled, None, None, None
        hidden, weights, bias, target = ctx.saved_tensors
        gradients = _Gradients(hidden, weights, bias, ctx.needs_input_grad[:3])
        for place in range(0, len(target), ctx.tokens):
            chunk = slice(place, place + ctx.tokens)
            logits = _logits(hidden[chunk], weights, bias)
            _softmax(logits)
            back = _back_to_logits(logits, target[chunk], ctx.epsilon)
            gradients.add(chunk, back * scale)
        return *gradients.found(), None, None, None


class _Gradients:
    """The gradients of the two factors and the bias, filled chunk by chunk."""

    def __init__(
        self,
        hidden: Tensor,
        weights: Tensor,
        bias: Tensor | None,
        wanted: Sequence[bool],
    ) -> None:
        self.factors, self.bias = (hidden, weights), bias
        self.wanted = any(wanted)
        self.hidden = torch.empty_like(hidden) if wanted[0] else None
        self._sum: Tensor | None = None
        if wanted[1]:
            self._sum = torch.zeros_like(weights, dtype=_wide(weights))
        self._of_bias: Tensor | None = None
        if wanted[2] and bias is not None:
            self._of_bias = torch.zeros_like(bias, dtype=_wide(bias))

    def found(self) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        """Give those of states, weights and bias, each in the type of its own."""
        of_weights, of_bias = self._sum, self._of_bias
        if of_weights is not None:
            of_weights = of_weights.to(self.factors[1].dtype)
        if of_bias is not None and self.bias is not None:
            of_bias = of_bias.to(self.bias.dtype)
        return self.hidden, of_weights, of_bias

    def add(self, chunk: slice, back: Tensor) -> None:
        hidden, weights = self.factors
        if self._of_bias is not None:
            self._of_bias += back.sum(0)
        back = back.to(weights.dtype)
        if self.hidden is not None:
            torch.mm(back, weights, out=self.hidden[chunk])
        if self._sum is None:
            return
        if self._sum.dtype == weights.dtype:
            self._sum.addmm_(back.t(), hidden[chunk])
        else:
            self._sum += back.t() @ hidden[chunk]


def _logits(hidden: Tensor, weights: Tensor, bias: Tensor | None) -> Tensor:
    logits = F.linear(hidden, weights).to(_wide(hidden))
    return logits if bias is None else logits.add_(bias)


def _wide(tensor: Tensor) -> torch.dtype:
    return torch.promote_types(tensor.dtype, torch.float32)


def shares_of_words(epsilon: float, vocabulary: int) -> tuple[float, float]:
    """Split the weight of a token.

    Args:
        epsilon: Label smoothing ε, in ``[0, 1]``.
        vocabulary: Number of words V, two or more.

    Returns:
        What -log p_y has, 1 - ε - e, and what each -log p_w has, e = ε / (V - 1).
    """
    other = epsilon / (vocabulary - 1)
    return 1.0 - epsilon - other, other


def _softmax(logits: Tensor) -> Tensor:
    """Overwrite logits with their softmax; returns log Σ exp of each row."""
    top = logits.amax(-1, keepdim=True)
    total = logits.sub_(top).exp_().sum(-1, keepdim=True)
    logits.div_(total)
    return (top + total.log_())[:, 0]


def _back_to_logits(p: Tensor, target: Tensor, epsilon: float) -> Tensor:
    """Turn the softmax, which is overwritten, into the gradient for the logits."""
    right, other = shares_of_words(epsilon, p.size(-1))
    share = p.new_full((len(p), 1), -right)
    return p.sub_(other).scatter_add_(-1, target[:, None], share)
