"""The loss over a sample: by its formula, and against that over all words."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from fairseq.criterions.label_smoothed_cross_entropy import label_smoothed_nll_loss
from torch import Tensor

from alone_fairseq.output.sampled_cross_entropy import sampled_cross_entropy
from alone_fairseq.output.sampled_words import draw_negatives

V, MANY, D, N = 30, 400, 6, 8


def inputs(
    dtype: torch.dtype = torch.float64, words: int = V
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(1)
    hidden = 0.4 * torch.randn(N, D, generator=generator)
    hidden = hidden.to(dtype).requires_grad_()
    weights = torch.randn(words, D, generator=generator).to(dtype).requires_grad_()
    bias = torch.randn(words, generator=generator).to(dtype).requires_grad_()
    return hidden, weights, bias, torch.tensor([3, 5, 5, 9, 3, 20, 28, 0])


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_with_all_words_it_is_fairseqs(epsilon: float) -> None:
    hidden, weights, bias, target = inputs()
    order = torch.randperm(V)
    places = order.argsort()[target]
    ones = torch.ones(V, dtype=torch.float64)
    loss, nll = sampled_cross_entropy(
        hidden, weights[order], places, epsilon, ones, bias[order]
    )
    logits = F.log_softmax(hidden @ weights.t() + bias, -1)
    expected, plain = label_smoothed_nll_loss(logits, target, epsilon)
    torch.testing.assert_close(loss, expected)
    torch.testing.assert_close(nll, plain)
    trained = (hidden, weights, bias)
    for mine, theirs in zip(
        torch.autograd.grad(loss, trained),
        torch.autograd.grad(expected, trained),
        strict=True,
    ):
        torch.testing.assert_close(mine, theirs)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_the_formula(epsilon: float, dtype: torch.dtype) -> None:
    """Token by token and word by word."""
    hidden, weights, bias, target = inputs(dtype)
    stands_for = torch.rand(V) * 3 + 1
    stands_for[target] = 1.0
    loss, nll = sampled_cross_entropy(
        hidden, weights, target, epsilon, stands_for, bias
    )
    h, e, b, w = (x.detach().double() for x in (hidden, weights, bias, stands_for))
    total, expected, plain = w.sum(), 0.0, 0.0
    for state, y in zip(h, target, strict=True):
        scores = [state.dot(e[j]) + b[j] for j in range(V)]
        norm = sum(w[j] * scores[j].exp() for j in range(V)).log()
        mean = sum(w[j] * scores[j] for j in range(V)) / total
        plain += norm - scores[y]
        expected += norm - scores[y]
        expected += epsilon * total / (total - 1) * (scores[y] - mean)
    close = (
        {"rtol": 1e-7, "atol": 0}
        if dtype == torch.float64
        else {"rtol": 0.02, "atol": 0}
    )
    torch.testing.assert_close(loss.double(), torch.as_tensor(expected), **close)
    torch.testing.assert_close(nll.double(), torch.as_tensor(plain), **close)
    trained = (hidden, weights, bias)
    for tensor, gradient in zip(
        trained,
        torch.autograd.grad(loss, trained),
        strict=True,
    ):
        assert gradient.dtype == tensor.dtype
        assert gradient.isfinite().all()


def test_gradients() -> None:
    *_, target = inputs()
    stands_for = torch.rand(V, dtype=torch.float64) + 0.5
    stands_for[target] = 1.0

    def loss(*given: Tensor) -> Tensor:
        hidden, weights, bias = given
        return sampled_cross_entropy(hidden, weights, target, 0.2, stands_for, bias)[0]

    assert torch.autograd.gradcheck(loss, inputs()[:3])


def draws(size: int, corrected: bool, count: int = 150) -> tuple[Tensor, ...]:
    """Draw losses, their gradients for the weights, and sums of exponentials."""
    hidden, weights, bias, target = inputs(words=MANY)
    positives = target.unique()
    losses, gradients, sums = [], [], []
    for number in range(count):
        drawn = draw_negatives(positives.numpy(), size, MANY, [7, number])
        words = torch.cat([positives, torch.from_numpy(drawn)])
        stands_for = torch.ones(len(words), dtype=torch.float64)
        if corrected:
            stands_for[len(positives) :] = (MANY - len(positives)) / len(drawn)
        places = torch.searchsorted(positives, target)
        loss, _ = sampled_cross_entropy(
            hidden, weights[words], places, 0.1, stands_for, bias[words]
        )
        losses.append(loss.detach())
        gradients.append(torch.autograd.grad(loss, weights)[0])
        scores = (hidden @ weights[words].t() + bias[words]).detach()
        sums.append((stands_for * scores.exp()).sum(1))
    return torch.stack(losses), torch.stack(gradients), torch.stack(sums)


def distance(found: Tensor, wanted: Tensor) -> float:
    """Measure how far the mean of draws is off, beyond what their number explains."""
    error = found.var(0).sum() / len(found)
    squared = (found.mean(0) - wanted).square().sum() - error
    return float(squared.clamp(min=0).sqrt() / wanted.norm())


def test_with_log_q_it_is_that_of_all_words_on_average() -> None:
    hidden, weights, bias, target = inputs(words=MANY)
    scores = hidden @ weights.t() + bias
    full, _ = label_smoothed_nll_loss(F.log_softmax(scores, -1), target, 0.1)
    (gradient,) = torch.autograd.grad(full, weights)
    full, sums = full.detach(), scores.detach().exp().sum(1)

    losses, gradients, found = draws(30, corrected=True)
    error = found.std(0) / len(found) ** 0.5
    assert ((found.mean(0) - sums).abs() < 4 * error).all()
    # By Jensen's inequality the loss is a little smaller than that of all words.
    assert 0 < (full - losses.mean()) / full < 0.02
    assert distance(gradients, gradient) < 0.06
    # Without the correction it lacks what the other words would add.
    losses, gradients, _ = draws(30, corrected=False)
    assert (full - losses.mean()) / full > 0.4
    assert distance(gradients, gradient) > 0.15


@pytest.mark.slow
def test_sums_over_tokens_may_be_large_under_autocast() -> None:
    generator = torch.Generator().manual_seed(1)
    hidden = torch.full((4096, D), -1.0, dtype=torch.float16)
    weights = torch.rand(2**13, D, generator=generator).half().requires_grad_()
    target = torch.zeros(len(hidden), dtype=torch.int64)
    inputs = (hidden, weights, target, 0.1, torch.ones(len(weights)))
    expected, _ = sampled_cross_entropy(*inputs)
    (right,) = torch.autograd.grad(128 * expected, weights)
    with torch.autocast("cpu", dtype=torch.float16):
        loss, _ = sampled_cross_entropy(*inputs)
    torch.testing.assert_close(loss, expected)
    (gradient,) = torch.autograd.grad(128 * loss, weights)
    torch.testing.assert_close(gradient, right)


def test_nothing_to_score() -> None:
    hidden, weights, bias, target = inputs()
    loss, nll = sampled_cross_entropy(
        hidden[:0], weights, target[:0], 0.1, torch.ones(V), bias
    )
    loss.backward()
    assert loss == nll == 0
    assert hidden.grad is not None
    assert not np.any(hidden.grad.numpy())
