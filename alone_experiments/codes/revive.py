"""Codewords that no word uses, put to work where too many words share one."""

from __future__ import annotations

import torch
from numpy.random import RandomState
from torch import Tensor
from torch.optim import Adam

from alone_experiments.codes.balance import Balance
from alone_experiments.codes.learner import CodeLearner, add_codewords

_LEAD = 0.5
"""By how much the score of a revived codeword is above that of the one it was split
from, for the word that it was split towards: this part of the usual distance between
the two best scores, so that few other words follow."""


@torch.no_grad()
def revive(
    learner: CodeLearner,
    optimizer: Adam,
    number: int,
    vectors: Tensor,
    generator: RandomState,
) -> int:
    """Split the most used codeword of a codebook for each dead one.

    As in the algorithm of Linde, Buzo and Gray (1980): its words are parted by a plane
    in the hidden layer, towards a word of them that is drawn, and each half gets the
    codeword that suits it better. What Adam knows of the dead one is forgotten.

    Args:
        learner: Learners, of which one is changed.
        optimizer: Of its weights.
        number: Which one.
        vectors: Word vectors, ``(N, D)``.
        generator: Draws the words.

    Returns:
        How many codewords were revived.
    """
    shape, revived = learner.shapes[number], 0
    codes = learner.codes(vectors)[number]
    shares = Balance.of(codes.cpu().numpy(), shape).shares
    hidden = learner.hidden(vectors.expand(len(learner.shapes), -1, -1))[number]
    for book, value in zip(*(shares == 0).nonzero(), strict=True):
        counts = codes[:, book].bincount(minlength=shape.values)
        largest = int(counts.argmax())
        if counts[largest] < 2:
            continue
        first = int(book) * shape.values
        lacks = vectors - add_codewords(codes, learner.codewords[number])
        members = (codes[:, book] == largest).nonzero().squeeze(1)
        centre = hidden[members].mean(0)
        chosen = members[int(generator.randint(len(members)))]
        way = hidden[chosen] - centre
        own = slice(first, first + shape.values)
        scores = hidden[members] @ learner.wide[number, :, own]
        best, second = (scores + learner.wide_bias[number, 0, own]).topk(2).values.T
        lead = _LEAD * (best - second).mean()
        way = lead * way / way.square().sum().clamp_min(1e-12)
        beyond = members[(hidden[members] - centre) @ way > 0]
        if not 0 < len(beyond) < len(members):
            continue
        new, old = first + int(value), first + largest
        learner.codewords[number, new] = learner.codewords[number, old]
        learner.codewords[number, new] += lacks[beyond].mean(0)
        learner.wide[number, :, new] = learner.wide[number, :, old] + way
        bias = learner.wide_bias[number, 0, old] - centre @ way
        learner.wide_bias[number, 0, new] = bias
        codes[beyond, int(book)] = int(value)
        _forget(learner, optimizer, number, new)
        revived += 1
    return revived


def _forget(learner: CodeLearner, optimizer: Adam, number: int, row: int) -> None:
    for name in ("exp_avg", "exp_avg_sq"):
        optimizer.state[learner.codewords][name][number, row] = 0
        optimizer.state[learner.wide][name][number, :, row] = 0
        optimizer.state[learner.wide_bias][name][number, :, row] = 0
