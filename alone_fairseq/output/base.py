"""The interface of all output layers."""

from abc import ABC, abstractmethod
from typing import Any, cast

import torch.nn.functional as F
from torch import Tensor, nn

from ..embeddings import CompactEmbedding


class OutputLayer(nn.Module, ABC):
    """Decoder states in, logits out.

    A layer writes :meth:`softmax_factors`; the loss in chunks needs no more, but for
    the bias of ``--softmax-bias``, which any layer may have.

    Args:
        embedding: The embedding of the decoder's input.
        dim: Size ``D`` of the decoder's states.

    Attributes:
        needs_table: Whether logits come from the whole table of the embedding.
        bias: What is added to the logits, if anything.
    """

    needs_table = True

    def __init__(self, embedding: CompactEmbedding, dim: int) -> None:
        """Tell the embedding whether its table is going to be needed."""
        super().__init__()
        del dim
        # A SoftmaxBias, where there is one; TorchScript knows no such annotation.
        self.bias = cast(Any, None)
        if self.needs_table:
            embedding.serves_softmax = True

    @abstractmethod
    def softmax_factors(self, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """Give the factors of the logits.

        Args:
            hidden: Decoder states, ``(..., D)``.

        Returns:
            States, ``(..., r)``, and weights, ``(V, r)``; ``states @ weights.T`` are
            the logits before the bias.
        """

    def matrix(self) -> Tensor | None:
        """Give the matrix of a layer that is one product with a matrix.

        Returns:
            ``(V, D)``, of which ``hidden @ matrix.T`` are the scores of a state of size
            ``D``; ``None`` where a layer does more.
        """
        return None

    def scores(self, hidden: Tensor) -> Tensor:
        """Score the vocabulary without the bias.

        Args:
            hidden: Decoder states, ``(..., D)``.

        Returns:
            Scores, ``(..., V)``.
        """
        states, weights = self.softmax_factors(hidden)
        return F.linear(states, weights)

    def forward(self, hidden: Tensor) -> Tensor:
        """Score the vocabulary.

        Args:
            hidden: Decoder states, ``(..., D)``.

        Returns:
            Logits, ``(..., V)``.
        """
        logits = self.scores(hidden)
        if self.bias is not None:
            logits = self.bias(logits)
        return logits
