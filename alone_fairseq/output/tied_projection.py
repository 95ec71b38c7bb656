"""The softmax matrix tied to an embedding module."""

from typing import Any

import torch
from torch import Tensor

from ..embeddings import CompactEmbedding
from .base import OutputLayer, as_matrix, shaped_like
from .registry import register_output_layer


@register_output_layer("tied")
class TiedProjection(OutputLayer):
    """Logits from the embedding that also reads the words (Press and Wolf, 2017).

    It ties the module rather than a tensor, since compact embeddings have no
    ``(V, D)`` tensor to share.

    Args:
        embedding: The embedding of the decoder's input.
        dim: Size of the decoder's states, which is the embedding's.
        config: Not used.
    """

    def __init__(
        self, embedding: CompactEmbedding, dim: int | None = None, config: Any = None
    ) -> None:
        """Refer to the embedding; nothing is copied."""
        del config
        super().__init__(embedding, dim or embedding.embedding_dim)
        self.embedding = embedding

    def softmax_factors(self, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """Give those of the embedding; see the base class."""
        return self.embedding.softmax_factors(hidden)

    @torch.jit.unused
    def factors_of(self, hidden: Tensor, words: Tensor) -> tuple[Tensor, Tensor]:
        """Give ``hidden`` and the vectors of some words; see the base class."""
        return hidden, self.embedding.many_rows(words)

    def matrix(self) -> Tensor:
        """Give the table of the embedding; see the base class."""
        return self.embedding.table()

    def scores(self, hidden: Tensor) -> Tensor:
        """Score the vocabulary without the bias.

        Args:
            hidden: Decoder states, ``(..., D)``.

        Returns:
            Scores, ``(..., V)``.
        """
        return shaped_like(self.embedding.tied_logits(as_matrix(hidden)), hidden)
