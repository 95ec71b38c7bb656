"""The network that learns codes, against its formulas written out a word at a time."""

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from alone_experiments.codes.balance import Balance
from alone_experiments.codes.learner import CodeLearner, add_codewords, half_squares
from alone_experiments.codes.shapes import Shape

SHAPES, SEEDS, DIM, WORDS = [Shape(3, 4), Shape(2, 6), Shape(2, 6)], [1, 1, 2], 5, 7


@pytest.fixture
def learner() -> CodeLearner:
    """Learners in double precision, whose weights are large enough to matter."""
    made = CodeLearner(SHAPES, SEEDS, DIM).double()
    with torch.no_grad():
        for number, weights in enumerate(made.parameters()):
            generator = torch.Generator().manual_seed(number)
            weights.normal_(generator=generator)
    return made


def given(count: int = len(SHAPES)) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(9)
    vectors = torch.randn(count, WORDS, DIM, generator=generator, dtype=torch.float64)
    noise = torch.rand(count, WORDS, 12, generator=generator, dtype=torch.float64)
    return vectors, noise


def by_hand(
    learner: CodeLearner, number: int, vectors: Tensor, noise: Tensor, tau: float
) -> Tensor:
    """Equations 5 to 8 and 4 of the paper, component by component."""
    shape, weights = SHAPES[number], dict(learner.named_parameters())
    theta, b = weights["narrow"][number], weights["narrow_bias"][number, 0]
    theta2, b2 = weights["wide"][number], weights["wide_bias"][number, 0]
    book = weights["codewords"][number]
    made = []
    for e, u in zip(vectors[number], noise[number], strict=True):
        h = torch.tanh(theta.T @ e + b)
        total = torch.zeros(DIM, dtype=torch.float64)
        for i in range(shape.codebooks):
            own = slice(i * shape.values, (i + 1) * shape.values)
            alpha = torch.log(1 + torch.exp(theta2[:, own].T @ h + b2[own]))
            gumbel = -torch.log(-torch.log(u[own]))
            powers = torch.exp((torch.log(alpha) + gumbel) / tau)
            total = total + book[own].T @ (powers / powers.sum())
        made.append(total)
    return torch.stack(made)


@pytest.mark.parametrize("tau", [1.0, 0.4])
@pytest.mark.parametrize("number", range(len(SHAPES)))
def test_loss_and_gradients(learner: CodeLearner, number: int, tau: float) -> None:
    vectors, noise = given()
    made, _ = learner(vectors, noise, tau)
    loss = half_squares(vectors, made)[number]
    expected = by_hand(learner, number, vectors, noise, tau)
    plain = 0.5 * ((expected - vectors[number]) ** 2).sum() / WORDS
    torch.testing.assert_close(loss, plain, rtol=1e-6, atol=0)
    weights = list(learner.parameters())
    mine, theirs = (torch.autograd.grad(x, weights) for x in (loss, plain))
    for slope, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(slope, other, rtol=1e-6, atol=1e-7)


def test_without_temperature_the_largest_is_taken(learner: CodeLearner) -> None:
    vectors, noise = given()
    hard, shares = learner(vectors, noise, 1e-4)
    torch.testing.assert_close(shares, learner.one_hot(shares), atol=1e-6, rtol=0)
    straight, _ = learner(vectors, noise, 1.0, straight_through=True)
    torch.testing.assert_close(hard, straight)


def test_codes_are_the_largest_shares_without_noise(learner: CodeLearner) -> None:
    vectors = given(1)[0][0]
    no_noise = torch.full((len(SHAPES), WORDS, 12), math.exp(-1), dtype=torch.float64)
    made, _ = learner(vectors.expand(len(SHAPES), -1, -1), no_noise, 1e-4)
    for number, codes in enumerate(learner.codes(vectors)):
        assert codes.shape == (WORDS, SHAPES[number].codebooks)
        assert int(codes.max()) < SHAPES[number].values
        built = add_codewords(codes, learner.codewords[number])
        torch.testing.assert_close(built, made[number])


def test_straight_through_has_the_gradients_of_the_mixture(
    learner: CodeLearner,
) -> None:
    """But for those of the codewords, which are those of hard codes."""
    vectors, noise = given()
    weights, direction = list(learner.parameters())[:-1], torch.randn_like(vectors)
    slopes = []
    for straight in (True, False):
        made, _ = learner(vectors, noise, 1.0, straight)
        slopes.append(torch.autograd.grad((made * direction).sum(), weights))
    for mine, theirs in zip(*slopes, strict=True):
        torch.testing.assert_close(mine, theirs)


def test_the_start_is_the_published_one_and_of_each_seed_alone() -> None:
    together = CodeLearner(SHAPES, SEEDS, DIM)
    alone = CodeLearner(SHAPES[2:], SEEDS[2:], DIM)
    for name, weights in together.named_parameters():
        assert torch.equal(weights[2:], dict(alone.named_parameters())[name])
        if name.endswith("bias"):
            assert not weights.any()
        else:
            assert 0.009 < weights.abs().max() <= 0.01
            assert not torch.equal(weights[1], weights[2])
    assert together.narrow.shape == (3, DIM, 6)  # H = M K / 2


def test_balance() -> None:
    codes = np.array([[0, 1], [0, 1], [0, 2], [3, 1]])
    found = Balance.of(codes, Shape(2, 4))
    assert found.shares.tolist() == [[0.75, 0, 0, 0.25], [0, 0.75, 0.25, 0]]
    assert found.unused == 4
    entropy = -(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25))
    assert found.entropies() == pytest.approx([entropy, entropy])
    assert found.describe()["largest_share"] == 0.75
