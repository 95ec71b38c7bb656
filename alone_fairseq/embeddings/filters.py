"""ALONE's fixed random filters, drawn again from their seed when needed."""

import hashlib
import math
from collections.abc import Callable
from typing import Self

import numpy as np
import torch
import torch.nn.functional as F
from numpy.random import RandomState
from torch import Tensor, nn

# RandomState's streams are frozen by NumPy's policy (NEP 19), torch's are not.
_CODES_STREAM, _CODEBOOKS_STREAM = 0, 1


def draw_codes(seed: int, vocabulary: int, codebooks: int, size: int) -> Tensor:
    """Draw which codebook rows make up the filter of each word.

    Args:
        seed: Seed in ``[0, 2^32)``.
        vocabulary: Number of words ``V``. Words are drawn one after the other, so a
            larger vocabulary keeps the codes of the smaller one.
        codebooks: Number of codebooks ``M``.
        size: Rows ``c`` of a codebook.

    Returns:
        Uniform codes in ``[0, c)``, ``(V, M)``, in the smallest integer type.
    """
    generator = RandomState([seed, _CODES_STREAM])
    codes = generator.randint(0, size, (vocabulary, codebooks), dtype=np.uint32)
    # No 16-bit integers: NCCL cannot send them to other GPUs.
    kind = np.uint8 if size <= 2**8 else np.int32
    return torch.from_numpy(codes.astype(kind))


def draw_binary_codebooks(
    seed: int, codebooks: int, size: int, dim: int, zero_prob: float
) -> Tensor:
    """Draw codebooks whose logical OR over ``M`` rows is 0 with ``zero_prob``.

    Takase and Kobayashi (2020), section 2.1: entries are Bernoulli with success
    probability ``1 - p_o^(1/M)``.

    Args:
        seed: Seed in ``[0, 2^32)``.
        codebooks: Number of codebooks ``M``.
        size: Rows ``c`` of a codebook.
        dim: Filter size ``D_o``.
        zero_prob: Probability ``p_o`` of a 0 in a filter, in ``(0, 1)``.

    Returns:
        Zeros and ones, uint8, ``(M * c, D_o)``.
    """
    generator = RandomState([seed, _CODEBOOKS_STREAM])
    success = 1.0 - zero_prob ** (1.0 / codebooks)
    uniform = generator.random_sample((codebooks * size, dim))
    return torch.from_numpy((uniform < success).astype(np.uint8))


def draw_real_codebooks(
    seed: int, codebooks: int, size: int, dim: int, std: float
) -> Tensor:
    """Draw Gaussian codebooks whose sum over ``M`` rows has deviation ``std``.

    Args:
        seed: Seed in ``[0, 2^32)``.
        codebooks: Number of codebooks ``M``.
        size: Rows ``c`` of a codebook.
        dim: Filter size ``D_o``.
        std: Standard deviation of a filter's entries; a codebook's is
            ``std / sqrt(M)``.

    Returns:
        Normal numbers, float32, ``(M * c, D_o)``.
    """
    generator = RandomState([seed, _CODEBOOKS_STREAM])
    normal = generator.standard_normal((codebooks * size, dim))
    return torch.from_numpy((normal * (std / math.sqrt(codebooks))).astype(np.float32))


def sum_of_rows(picked: Tensor, rows: Tensor) -> Tensor:
    """Sum rows for each of ``N`` words.

    Args:
        picked: Which rows, int64, ``(N, M)``.
        rows: ``(M * c, size)``.

    Returns:
        Sums, ``(N, size)``.
    """
    return F.embedding_bag(picked, rows, mode="sum")


class RandomFilters(nn.Module):
    """The filter ``f_w`` of each word: a combination of ``M`` codebook rows.

    Codes and codebooks are no part of a checkpoint, and they keep their precision
    when the model is cast to another.

    Args:
        codes: Row of each codebook for each word, ``(V, M)``, integers.
        codebooks: All codebooks, ``(M * c, D_o)``: uint8 for binary filters (combined
            by OR), float32 for real ones (summed).
    """

    codes: Tensor
    codebooks: Tensor
    offsets: Tensor

    def __init__(self, codes: Tensor, codebooks: Tensor) -> None:
        """Keep codes and codebooks in buffers that are not stored."""
        super().__init__()
        self.binary = codebooks.dtype == torch.uint8
        num_codebooks = codes.size(1)
        first_rows = torch.arange(num_codebooks, device="cpu") * (
            codebooks.size(0) // num_codebooks
        )
        self.register_buffer("codes", codes, persistent=False)
        self.register_buffer("codebooks", codebooks, persistent=False)
        self.register_buffer("offsets", first_rows, persistent=False)

    def forward(self, tokens: Tensor) -> Tensor:
        """Build the filters of ``tokens``.

        Args:
            tokens: Word indices, int64, ``(...)``.

        Returns:
            Filters, float32, ``(..., D_o)``.
        """
        filters = self.sum_rows(tokens.flatten(), self.codebooks.float())
        if self.binary:
            filters = filters.clamp(max=1.0)
        return filters.view(tokens.shape + (filters.size(1),))  # noqa: RUF005 (TorchScript)

    def sum_rows(self, tokens: Tensor, rows: Tensor) -> Tensor:
        """Sum the ``M`` rows that the codes of each token pick.

        Args:
            tokens: Word indices, int64, ``(N)``.
            rows: One row for each row of the codebooks, ``(M * c, size)``.

        Returns:
            Sums, ``(N, size)``.
        """
        return sum_of_rows(self.picked_rows(tokens), rows)

    def picked_rows(self, tokens: Tensor) -> Tensor:
        """Tell which rows of the codebooks make up the filter of each token.

        Args:
            tokens: Word indices, int64, ``(N)``.

        Returns:
            Rows, int64, ``(N, M)``.
        """
        return self.codes[tokens].long() + self.offsets

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        exact = self.codebooks
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call] # torch's
        self.codebooks = exact.to(self.codebooks.device)
        return self

    @torch.jit.unused
    def checksum(self) -> str:
        """Fingerprint codes and codebooks: 16 hexadecimal digits of their SHA-256."""
        digest = hashlib.sha256(self.codes.cpu().numpy().tobytes())
        digest.update(self.codebooks.cpu().numpy().tobytes())
        return digest.hexdigest()[:16]
