"""The interface of all output layers."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..embeddings import CompactEmbedding, MethodOptions


class OutputLayer(nn.Module, ABC):
    """Decoder states in, logits out.

    A layer writes :meth:`softmax_factors`; the loss in chunks needs no more, but for
    the bias of ``--softmax-bias``, which any layer may have. One that can do without
    the whole table for a few words writes :meth:`factors_of` too.

    Args:
        embedding: The embedding of the decoder's input.
        dim: Size ``D`` of the decoder's states.
        config: The layer's options; the defaults if left out.

    Attributes:
        config_class: The class of its options, whose names start with the layer's.
        needs_table: Whether logits come from the whole table of the embedding.
        bias: What is added to the logits, if anything.
    """

    config_class: ClassVar[type[MethodOptions]] = MethodOptions
    needs_table = True

    def __init__(
        self, embedding: CompactEmbedding, dim: int, config: Any = None
    ) -> None:
        """Tell the embedding whether its table is going to be needed."""
        super().__init__()
        del dim, config
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

    @torch.jit.unused
    def factors_of(self, hidden: Tensor, words: Tensor) -> tuple[Tensor, Tensor]:
        """Give the factors of the logits of some words, for a sampled softmax.

        Args:
            hidden: Decoder states, ``(..., D)``.
            words: Word indices, int64, ``(K,)``.

        Returns:
            States, ``(..., r)``, and weights, ``(K, r)``, r not always as above.
        """
        states, weights = self.softmax_factors(hidden)
        return states, weights[words]

    @torch.jit.unused
    def network_matrices(self) -> list[Tensor]:
        """List the trained matrices that all words or states go through."""
        return []

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
            hidden: Decoder states, ``(..., D)`` of two or more dimensions.

        Returns:
            Scores, ``(..., V)``.
        """
        # As one product of matrices: given three dimensions and weights without
        # gradients, torch multiplies sentence by sentence, which in beam search on a
        # CPU takes ten times as long.
        states, weights = self.softmax_factors(hidden.flatten(0, -2))
        shaped: Tensor = F.linear(states, weights).unflatten(0, hidden.shape[:-1])
        return shaped

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
