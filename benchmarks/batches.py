"""Random sentences whose words are as uneven as those of a language."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.random import RandomState
from torch import Tensor

SPECIAL_SYMBOLS = 4  # fairseq's: start, padding, end, unknown
PADDING, END = 1, 2  # fairseq's indices


def draw_tokens(vocabulary: int, shape: tuple[int, ...], seed: int) -> Tensor:
    """Draw words by Zipf's law: the word of rank r with a weight of 1 / r.

    Args:
        vocabulary: Size ``V`` with fairseq's special symbols, which are not drawn.
        shape: Shape of the result.
        seed: Seed of the draw.

    Returns:
        Word indices, int64.
    """
    # By the inverse of the distribution's logarithm, which costs no memory in V.
    uniform = RandomState(seed).random_sample(shape)
    ranks = np.floor((vocabulary - SPECIAL_SYMBOLS + 1.0) ** uniform).astype(np.int64)
    return torch.from_numpy(ranks - 1 + SPECIAL_SYMBOLS)


def draw_text(vocabulary: int, tokens: int, length: int, seed: int) -> dict[str, Any]:
    """Make a batch as fairseq's task of language models makes them; see the other."""
    batch = draw_batch(vocabulary, tokens, length, seed)
    given = batch["net_input"]
    text = {
        "src_tokens": given["prev_output_tokens"],
        "src_lengths": given["src_lengths"],
    }
    return {**batch, "net_input": text}


def draw_batch(vocabulary: int, tokens: int, length: int, seed: int) -> dict[str, Any]:
    """Make a batch as fairseq's translation task makes them, without padding.

    Args:
        vocabulary: Size ``V``.
        tokens: Target tokens, rounded down to whole sentences.
        length: Tokens of a sentence on either side, its end included.
        seed: Seed of the draw.

    Returns:
        The batch; ``ntokens`` is what was made of ``tokens``.
    """
    rows = max(1, tokens // length)
    words = draw_tokens(vocabulary, (2, rows, length - 1), seed)
    end = torch.full((2, rows, 1), END)
    source, target = torch.cat([words, end], dim=2)
    return {
        "id": torch.arange(rows),
        "nsentences": rows,
        "ntokens": rows * length,
        "net_input": {
            "src_tokens": source.clone(),
            "src_lengths": torch.full((rows,), length),
            "prev_output_tokens": torch.cat([end[1], words[1]], dim=1),
        },
        "target": target.clone(),
    }
