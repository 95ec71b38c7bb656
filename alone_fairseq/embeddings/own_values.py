"""A few trained values of each word's own, beside a network that all words share."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .initial_scale import deviation_for_steps


class OwnValues(nn.Module):
    """Vectors ``v_w P`` to be added to others: ``r`` values a word, expanded to ``D``.

    They start at zero, so that at first a word is what the network makes of it. An
    update can then change one word without the others, which a network cannot.

    Args:
        num_words: How many words have any: the first ones of the vocabulary.
        own_dim: Values ``r`` of a word, at least 1.
        embedding_dim: Vector size ``D``.
    """

    def __init__(self, num_words: int, own_dim: int, embedding_dim: int) -> None:
        """Lay out the values and their expansion."""
        super().__init__()
        self.values = nn.Parameter(torch.empty(num_words, own_dim))
        self.expansion = nn.Parameter(torch.empty(own_dim, embedding_dim))

    def reset_parameters(self) -> None:
        """Start the values at zero, and the expansion for steps like a look-up's."""
        nn.init.zeros_(self.values)
        std = deviation_for_steps(*self.expansion.shape)
        nn.init.normal_(self.expansion, mean=0.0, std=std)

    def forward(self, tokens: Tensor) -> Tensor:
        """Give the vectors of ``tokens``.

        Args:
            tokens: Word indices, int64, ``(...)``.

        Returns:
            Vectors, ``(..., D)``; zero for words without values.
        """
        others = tokens >= self.values.size(0)
        values = F.embedding(tokens.masked_fill(others, 0), self.values)
        return values.masked_fill(others.unsqueeze(-1), 0.0) @ self.expansion
