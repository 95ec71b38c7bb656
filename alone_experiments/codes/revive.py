"""Codewords that no word uses, put to work where too many words share one."""

from __future__ import annotations

import torch
from numpy.random import RandomState
from torch import Tensor
from torch.optim import Adam

from alone_experiments.codes.learner import CodeLearner

_NOISE = 0.3
"""How far a copy is from its original, in deviations of its numbers: enough for the two
to part, little enough to leave the other words their codes."""


@torch.no_grad()
def revive(
    learner: CodeLearner,
    optimizer: Adam,
    number: int,
    vectors: Tensor,
    generator: RandomState,
) -> int:
    """Make each dead codeword a noisy copy of the most used one of its codebook.

    Copied are the codeword, its weights in the network, and what Adam knows of both:
    without that a copy's first steps are several times too large, and it leaves the
    words again that it was made for.

    Args:
        learner: Learners, of which one is changed.
        optimizer: Of its weights.
        number: Which one.
        vectors: Word vectors, ``(N, D)``.
        generator: Draws the noise.

    Returns:
        How many codewords were revived.
    """
    shape, revived = learner.shapes[number], 0
    codes = learner.codes(vectors)[number]
    for book in range(shape.codebooks):
        counts = codes[:, book].bincount(minlength=shape.values).double()
        for dead in (counts == 0).nonzero().squeeze(1).tolist():
            used = int(counts.argmax())
            if counts[used] <= 1:
                break
            first = book * shape.values
            _copy(learner, optimizer, number, first + used, first + dead, generator)
            # The two are taken to share the words from now on.
            counts[[used, dead]] = counts[used] / 2
            revived += 1
    return revived


def _copy(
    learner: CodeLearner,
    optimizer: Adam,
    number: int,
    old: int,
    new: int,
    generator: RandomState,
) -> None:
    # With the codewords of all codebooks last.
    for parameter, own in (
        (learner.codewords, learner.codewords[number].T),
        (learner.wide, learner.wide[number]),
        (learner.wide_bias, learner.wide_bias[number]),
    ):
        noise = torch.from_numpy(generator.standard_normal(len(own))).to(own)
        deviation = own[:, old].std(correction=0)
        own[:, new] = own[:, old] + _NOISE * deviation * noise
        for name in ("exp_avg", "exp_avg_sq"):
            known = optimizer.state[parameter][name][number]
            known = known.T if parameter is learner.codewords else known
            known[:, new] = known[:, old]
