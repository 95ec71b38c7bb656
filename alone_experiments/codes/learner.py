"""The network that learns codes: an autoencoder with a Gumbel-softmax in its middle.

Shu and Nakayama (2018), section 4. Several learners are computed at once, as products
of stacked matrices; that they have the same number of codewords is all that they share.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from itertools import groupby

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from alone_experiments.codes.shapes import Shape
from alone_experiments.mistakes import Mistake

START = 0.01
"""Weights are drawn from U(-0.01, 0.01), as the published program does; the paper does
not say. Biases are 0."""

_SMALLEST_ALPHA, _SMALLEST_NOISE = 1e-8, 1e-20


class CodeLearner(nn.Module):
    """Learners of codes, computed together.

    Each has ``h = tanh(theta e + b)``, ``alpha = softplus(theta' h + b')``, and
    codebooks ``A``. In the published program ``h`` has ``M K / 2`` values, of which the
    paper does not tell.

    Args:
        shapes: Sizes of each of ``R`` learners, all of the same ``M * K``.
        seeds: Seeds of their initial weights.
        dim: Size ``D`` of a word vector.
        hidden: Size of ``h``; ``M K / 2`` if 0.
    """

    def __init__(
        self, shapes: Sequence[Shape], seeds: Sequence[int], dim: int, hidden: int = 0
    ) -> None:
        """Draw the weights of each learner from its own seed."""
        super().__init__()
        (codewords,) = {shape.codewords for shape in shapes}
        self.shapes = list(shapes)
        sizes = weight_sizes(codewords, dim, hidden)
        generators = [torch.Generator().manual_seed(seed) for seed in seeds]
        for name, size in sizes.items():
            drawn = torch.zeros(len(shapes), *size)
            if not name.endswith("bias"):
                for own, generator in zip(drawn, generators, strict=True):
                    own.uniform_(-START, START, generator=generator)
            self.register_parameter(name, nn.Parameter(drawn))

    narrow: Tensor
    narrow_bias: Tensor
    wide: Tensor
    wide_bias: Tensor
    codewords: Tensor

    def hidden(self, vectors: Tensor) -> Tensor:
        """Compute ``h`` of word vectors, ``(R, N, D)``: ``(R, N, M K / 2)``."""
        return torch.baddbmm(self.narrow_bias, vectors, self.narrow).tanh()

    def log_alpha(self, vectors: Tensor) -> Tensor:
        """Compute the logarithms of ``alpha``, equations 7 and 8.

        Args:
            vectors: Word vectors, ``(R, N, D)``.

        Returns:
            ``(R, N, M * K)``.
        """
        wide = torch.baddbmm(self.wide_bias, self.hidden(vectors), self.wide)
        return (F.softplus(wide) + _SMALLEST_ALPHA).log()

    def softmax(self, scores: Tensor) -> Tensor:
        """Take the softmax over the values of each code, ``(R, N, M * K)``."""
        parts, first = [], 0
        for shape, same in groupby(self.shapes):
            count = len(list(same))
            own = scores[first : first + count].unflatten(-1, tuple(shape))
            parts.append(own.softmax(-1).flatten(-2))
            first += count
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    def forward(
        self,
        vectors: Tensor,
        noise: Tensor,
        temperature: float = 1.0,
        straight_through: bool = False,
    ) -> tuple[Tensor, Tensor]:
        """Rebuild word vectors through noisy codes, equations 4 to 6.

        Args:
            vectors: Word vectors, ``(R, N, D)``.
            noise: Uniform in ``[0, 1)``, ``(R, N, M * K)``; ``G`` is made of it.
            temperature: ``tau``, above 0.
            straight_through: Build with the largest value of each code alone, and send
                the gradients back as if all had been mixed.

        Returns:
            The vectors, ``(R, N, D)``, and the shares ``d`` of the values of each code,
            ``(R, N, M * K)``.
        """
        gumbel = -((noise + _SMALLEST_NOISE).log().neg() + _SMALLEST_NOISE).log()
        shares = self.softmax((self.log_alpha(vectors) + gumbel) / temperature)
        used = shares
        if straight_through:
            used = self.one_hot(shares.detach()) - shares.detach() + shares
        return torch.bmm(used, self.codewords), shares

    def one_hot(self, shares: Tensor) -> Tensor:
        """Give 1 to the largest value of each code and 0 to the others."""
        return torch.stack(
            [
                F.one_hot(own.unflatten(-1, tuple(shape)).argmax(-1), shape.values)
                .flatten(-2)
                .to(own.dtype)
                for own, shape in zip(shares, self.shapes, strict=True)
            ]
        )

    def codes(self, vectors: Tensor) -> list[Tensor]:
        """Choose the codes of words, without noise.

        Args:
            vectors: Word vectors, ``(N, D)``.

        Returns:
            For each learner codes in ``[0, K)``, int64, ``(N, M)``.
        """
        scores = self.log_alpha(vectors.expand(len(self.shapes), -1, -1))
        return [
            own.unflatten(-1, tuple(shape)).argmax(-1)
            for own, shape in zip(scores, self.shapes, strict=True)
        ]


def weight_sizes(codewords: int, dim: int, hidden: int) -> dict[str, tuple[int, int]]:
    """Name the weights of a learner, with their sizes.

    Args:
        codewords: ``M * K``.
        dim: Size ``D`` of a word vector.
        hidden: Size of ``h``; ``M K / 2`` if 0.
    """
    hidden = hidden or max(1, codewords // 2)
    return {
        "narrow": (dim, hidden),
        "narrow_bias": (1, hidden),
        "wide": (hidden, codewords),
        "wide_bias": (1, codewords),
        "codewords": (codewords, dim),
    }


def refuse_what_does_not_fit(
    shapes: Sequence[Shape], dim: int, hidden: int, device: str
) -> None:
    """Refuse learners that take more memory than there is.

    Args:
        shapes: As for :class:`CodeLearner`.
        dim: As there.
        hidden: As there.
        device: Where they are to be trained.

    Raises:
        Mistake: In one line that says what to lower.
    """
    sizes = weight_sizes(shapes[0].codewords, dim, hidden)
    # In single precision: weights, gradients, and Adam's two moments.
    needed = 4 * 4 * len(shapes) * sum(map(math.prod, sizes.values()))
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if device == "cuda":
        memory = torch.cuda.get_device_properties(device).total_memory
    if needed > memory:
        raise Mistake(
            f"--codes {shapes[0]}: to learn them takes {needed / 2**30:,.0f} GiB of"
            f" memory, and there are {memory / 2**30:,.0f}: lower --hidden"
            f" ({sizes['wide'][0]:,}), or name fewer codewords, sizes or seeds"
        )


def half_squares(given: Tensor, made: Tensor) -> Tensor:
    """Compute the loss: half the sum of squares, the mean over words.

    That of the published program. Twice as much is the paper's, equation 2.

    Args:
        given: Word vectors, ``(..., N, D)``.
        made: What was made of them.

    Returns:
        The mean over ``N``, ``(...)``.
    """
    return 0.5 * (given - made).square().sum(-1).mean(-1)


def add_codewords(codes: Tensor, codewords: Tensor) -> Tensor:
    """Build the vectors of codes, equation 1.

    Args:
        codes: In ``[0, K)``, ``(N, M)``.
        codewords: The codebooks one below the other, ``(M * K, D)``.

    Returns:
        Vectors, ``(N, D)``.
    """
    books = codes.size(1)
    values = len(codewords) // books
    rows = codes + values * torch.arange(books, device=codes.device)
    return F.embedding_bag(rows, codewords, mode="sum")
