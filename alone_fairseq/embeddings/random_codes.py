"""Codes and codebooks that follow from a seed alone, on every platform, for good.

RandomState's streams are frozen by NumPy's policy (NEP 19), torch's are not.
"""

import math

import numpy as np
import torch
from numpy.random import RandomState
from torch import Tensor

_CODES_STREAM, _CODEBOOKS_STREAM = 0, 1

WORDS_AT_A_TIME = 2**16


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
    # No 16-bit integers: NCCL cannot send them to other GPUs.
    kind = np.uint8 if size <= 2**8 else np.int32
    codes = np.empty((vocabulary, codebooks), dtype=kind)
    # Some words at a time: the generator's own integers take four times the memory.
    for start in range(0, vocabulary, WORDS_AT_A_TIME):
        part = codes[start : start + WORDS_AT_A_TIME]
        part[:] = generator.randint(0, size, part.shape, dtype=np.uint32)
    return torch.from_numpy(codes)


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
