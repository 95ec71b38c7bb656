"""Positional encodings that know the length of the output.

LRPE and LDPE of Takase and Okazaki (2019), "Positional Encoding to Control Output
Sequence Length", equations 4 to 7: https://arxiv.org/abs/1904.07418
"""

from __future__ import annotations

import torch
from fairseq.utils import make_positions
from torch import Tensor, nn


def sinusoids(index: Tensor, base: Tensor, dim: int) -> Tensor:
    """Compute ``sin`` and ``cos`` of ``index / base^(i / (dim / 2 - 1))``.

    ``i`` runs from 0 to ``dim / 2 - 1``. Layout and exponent are those of fairseq and
    tensor2tensor: all sines, then all cosines, and a zero at the end where ``dim`` is
    odd.

    Args:
        index: Whole numbers of any sign, ``(B, T)``.
        base: Numbers from 1, ``(B, 1)`` or ``(1, 1)``.
        dim: Size ``D``, at least 2.

    Returns:
        Encodings in single precision, ``(B, T, D)``.
    """
    half = dim // 2
    order = torch.arange(half, dtype=torch.float32, device=index.device)
    # The logarithm in double precision: with it the ordinary encoding is bit for bit
    # fairseq's, whose Python computes it so.
    step = (-torch.log(base.double()) / max(half - 1, 1)).float()
    frequencies = torch.exp(order * step.unsqueeze(-1))
    angles = index.float().unsqueeze(-1) * frequencies
    encodings = torch.cat([torch.sin(angles), torch.cos(angles)], dim=-1)
    return torch.nn.functional.pad(encodings, (0, dim - 2 * half))


class LengthPositions(nn.Module):
    """Sum of positional encodings of a decoder, each sentence with its own length.

    ``pos`` counts the tokens that a step has behind or before it, from 1 at the first
    step; ``len`` is the number of target tokens, end of sentence included. With
    fairseq's offset, the index of padding (1), the published encodings are

    - ordinary: index ``pos + 1``, base 10000;
    - LRPE: index ``pos + 1``, base ``len``;
    - LDPE: index ``len - pos + 2``, base 10000. The step that ought to end the sentence
      has index 2, as the first step has in the ordinary encoding.

    All three are formulas rather than tables, hence defined for every length, and for
    steps past the desired end, where the index of LDPE goes on to 1, 0, -1 and so on.
    The published code has a row of zeros at 1 and stops with an error at -1, has no
    row above 1,024, and outside of beam search gives all sentences of a batch the LRPE
    of its first one: none of that is kept.

    Nothing is trained and nothing is stored: checkpoints have no entry for it.

    Args:
        embedding_dim: Size ``D``.
        padding_idx: Token whose encoding is zero.
        lrpe: Whether LRPE is in the sum.
        ldpe: Whether LDPE is in the sum.
        ordinary: Whether the ordinary encoding is in the sum.
    """

    def __init__(
        self,
        embedding_dim: int,
        padding_idx: int,
        lrpe: bool,
        ldpe: bool,
        ordinary: bool,
    ) -> None:
        """Choose the encodings."""
        super().__init__()
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.lrpe = lrpe
        self.ldpe = ldpe
        self.ordinary = ordinary
        # fairseq's decoder asks; there is no limit but that of --max-target-positions.
        self.max_positions = 2**31 - 1
        # fairseq's decoder passes no lengths on, so that they are set before its pass.
        self.target_lengths = torch.ones(1, 1)
        # Follows the model to its device and precision; the angles do not.
        self.like: Tensor
        self.register_buffer("like", torch.zeros(1), persistent=False)

    def set_target_lengths(self, lengths: Tensor) -> None:
        """Set the lengths for the calls that follow.

        Args:
            lengths: Target tokens with the end of sentence, ``(B, 1)``, from 1.
        """
        self.target_lengths = lengths

    def forward(
        self,
        tokens: Tensor,
        incremental_state: dict[str, dict[str, Tensor | None]] | None = None,
    ) -> Tensor:
        """Encode the positions of ``tokens``.

        Args:
            tokens: Previous output tokens, ``(B, T)``.
            incremental_state: If given, only the last step is encoded.

        Returns:
            Encodings ``(B, T, D)``, or ``(B, 1, D)``, in the model's precision; zero
            where a token is padding.
        """
        if incremental_state is None:
            index = make_positions(tokens, self.padding_idx)
        else:
            index = torch.full_like(tokens[:, :1], self.padding_idx + tokens.size(1))
        encodings = self.encode(index)
        padding = index.eq(self.padding_idx).unsqueeze(-1)
        return encodings.masked_fill(padding, 0.0).to(self.like)

    def encode(self, index: Tensor) -> Tensor:
        """Sum the chosen encodings.

        Args:
            index: ``padding_idx + pos``, ``(B, T)``.

        Returns:
            Encodings in single precision, ``(B, T, D)``.
        """
        lengths = self.target_lengths.to(index.device)
        ordinary_base = torch.full((1, 1), 10000.0, device=index.device)
        total = torch.zeros(1, device=index.device)
        if self.ordinary:
            total = total + sinusoids(index, ordinary_base, self.embedding_dim)
        if self.lrpe:
            total = total + sinusoids(index, lengths, self.embedding_dim)
        if self.ldpe:
            left = lengths + 1 + 2 * self.padding_idx - index
            total = total + sinusoids(left, ordinary_base, self.embedding_dim)
        return total
