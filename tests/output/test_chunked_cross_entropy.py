"""The loss in chunks is the loss of all logits at once."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from alone_fairseq.output.chunked_cross_entropy import chunked_cross_entropy


def all_at_once(
    hidden: Tensor, weights: Tensor, target: Tensor, epsilon: float
) -> tuple[Tensor, Tensor]:
    """The definition: a distribution over words, (1 - ε) of it on the right one."""
    vocabulary = len(weights)
    share = epsilon / (vocabulary - 1)
    wanted = torch.full((len(target), vocabulary), share, dtype=torch.float64)
    wanted[torch.arange(len(target)), target] = 1 - epsilon
    log_p = F.log_softmax(hidden @ weights.T, dim=-1)
    return -(wanted.to(log_p) * log_p).sum(), F.nll_loss(log_p, target, reduction="sum")


class Watch(TorchDispatchMode):
    """Counts products of matrices, and values of the largest tensor made."""

    def __init__(self) -> None:
        super().__init__()
        self.products = self.largest = 0

    def __torch_dispatch__(
        self, function: Any, types: Any, given: Any = (), named: Any = None
    ) -> Any:
        made = function(*given, **(named or {}))
        self.products += function.overloadpacket in PRODUCTS
        if isinstance(made, Tensor):
            self.largest = max(self.largest, made.numel())
        return made


PRODUCTS = {torch.ops.aten.mm, torch.ops.aten.addmm_}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_the_logits_of_all_tokens_are_never_there(dtype: torch.dtype) -> None:
    hidden, weights, target = draw(64, 50, dtype)
    with Watch() as watch:
        loss, _ = chunked_cross_entropy(hidden, weights, target, 0.1, 520)
        loss.backward()
    assert max(hidden.numel(), weights.numel()) <= watch.largest <= 520
    # 10 tokens at a time; in fp16 the logits are computed twice.
    assert watch.products == 7 * (4 if dtype == torch.float16 else 3)


def draw(
    tokens: int, vocabulary: int, dtype: torch.dtype = torch.float64
) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(tokens * 100 + vocabulary)
    hidden = torch.randn(tokens, 8, generator=generator, dtype=torch.float64)
    weights = torch.randn(vocabulary, 8, generator=generator, dtype=torch.float64)
    target = torch.randint(vocabulary, (tokens,), generator=generator)
    return (
        hidden.to(dtype).requires_grad_(),
        weights.to(dtype).requires_grad_(),
        target,
    )


@settings(max_examples=40, deadline=None)
@given(
    tokens=st.integers(0, 13),
    vocabulary=st.integers(2, 30),
    logits_at_once=st.integers(1, 200),
    epsilon=st.floats(0, 1),
)
def test_values_and_gradients(
    tokens: int, vocabulary: int, logits_at_once: int, epsilon: float
) -> None:
    hidden, weights, target = draw(tokens, vocabulary)
    loss, nll_loss = chunked_cross_entropy(
        hidden, weights, target, epsilon, logits_at_once
    )
    expected, expected_nll = all_at_once(hidden, weights, target, epsilon)
    torch.testing.assert_close(loss, expected)
    torch.testing.assert_close(nll_loss, expected_nll)
    # A factor, as of gradient accumulation, reaches the gradients.
    gradients = torch.autograd.grad(3 * loss, (hidden, weights))
    wanted = torch.autograd.grad(3 * expected, (hidden, weights))
    torch.testing.assert_close(gradients, wanted)


def test_gradients_are_those_of_the_loss() -> None:
    hidden, weights, target = draw(5, 7)
    assert torch.autograd.gradcheck(
        lambda h, w: chunked_cross_entropy(h, w, target, 0.1, 14)[0], (hidden, weights)
    )


@pytest.mark.parametrize(
    ("dtype", "tolerance"), [(torch.bfloat16, 0.02), (torch.float16, 0.002)]
)
def test_half_precision_sums_in_single(dtype: torch.dtype, tolerance: float) -> None:
    hidden, weights, target = draw(400, 50, dtype)
    loss, nll_loss = chunked_cross_entropy(hidden, weights, target, 0.1, 50)
    exact = [each.detach().double().requires_grad_() for each in (hidden, weights)]
    expected, expected_nll = all_at_once(*exact, target, 0.1)
    assert loss.dtype == nll_loss.dtype == torch.float32
    torch.testing.assert_close(loss.double(), expected, rtol=tolerance, atol=0)
    torch.testing.assert_close(nll_loss.double(), expected_nll, rtol=tolerance, atol=0)
    gradients = torch.autograd.grad(loss, (hidden, weights))
    for mine, right in zip(
        gradients, torch.autograd.grad(expected, exact), strict=True
    ):
        assert mine.dtype == dtype
        assert (mine - right).norm() <= tolerance * right.norm()


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_the_sum_of_all_logits_may_be_large_under_autocast(epsilon: float) -> None:
    # Some 130,000 in sum, twice what fp16 can hold.
    hidden, weights, target = draw(6, 2**15, torch.float16)
    hidden, weights = hidden.detach().fill_(-0.5), weights.detach().fill_(1.0)
    expected = chunked_cross_entropy(hidden, weights, target, epsilon)
    with torch.autocast("cpu", dtype=torch.float16):
        found = chunked_cross_entropy(hidden, weights, target, epsilon)
    assert abs((hidden @ weights.T).float().sum(-1)[0]) > 2**16
    torch.testing.assert_close(found, expected)


def test_the_scale_of_the_loss_saves_small_gradients_in_fp16() -> None:
    """Each of many words gets so little that it is lost without fairseq's scale."""
    hidden, weights, target = draw(3, 40_000, torch.float16)
    hidden, weights = (
        (each.detach() / 100).requires_grad_() for each in (hidden, weights)
    )
    scale = 2.0**10
    loss, _ = chunked_cross_entropy(hidden, weights, target, 0.1)
    (mine,) = torch.autograd.grad(loss * scale, weights)
    exact = [each.detach().double().requires_grad_() for each in (hidden, weights)]
    (right,) = torch.autograd.grad(all_at_once(*exact, target, 0.1)[0], exact[1])
    assert (mine.double() / scale - right).norm() <= 0.01 * right.norm()
    others = torch.ones(len(right), dtype=torch.bool)
    others[target] = False
    difference = (mine.double() / scale - right)[others].norm()
    assert difference <= 0.01 * right[others].norm()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("frozen", [0, 1])
def test_what_is_frozen_costs_nothing(frozen: int, dtype: torch.dtype) -> None:
    factors = draw(6, 9, dtype)
    factors[frozen].requires_grad_(False)
    with Watch() as watch:
        loss, nll_loss = chunked_cross_entropy(*factors, 0.1, 20)
        loss.backward()
    assert not nll_loss.requires_grad
    assert watch.products == 3 * (3 if dtype == torch.float16 else 2)  # in 3 chunks
    assert factors[1 - frozen].grad is not None


def test_no_gradients_where_none_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    place = "alone_fairseq.output.chunked_cross_entropy._back_to_logits"
    monkeypatch.setattr(place, None)
    hidden, weights, target = draw(6, 9)
    with torch.no_grad():
        loss, _ = chunked_cross_entropy(hidden, weights, target, 0.1, 20)
    assert not loss.requires_grad
    torch.testing.assert_close(loss, all_at_once(hidden, weights, target, 0.1)[0])
