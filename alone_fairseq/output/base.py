"""The interface of all output layers."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
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
        words_at_once: In evaluation, how many words' vectors are there at a time; 0
            for all, in a table that is kept. :meth:`slice_words` sets it.
    """

    config_class: ClassVar[type[MethodOptions]] = MethodOptions
    needs_table = True

    def __init__(
        self, embedding: CompactEmbedding, dim: int, config: Any = None
    ) -> None:
        """Tell the embedding whether its table is going to be needed."""
        super().__init__()
        del dim, config
        self.vocabulary = embedding.num_embeddings
        self.words_at_once = 0
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

    @torch.jit.unused
    def slice_words(self, embedding: CompactEmbedding, words_at_once: int) -> None:
        """Let evaluation do without the table; see ``--softmax-slice``.

        Args:
            embedding: The one this layer was made with.
            words_at_once: Words whose vectors may be there at a time, from 1.
        """
        self.words_at_once = words_at_once
        # Else the input would look its words up in the table of all.
        embedding.serves_softmax = False

    @torch.jit.unused
    def is_sliced(self) -> bool:
        """Tell whether the table is not to be built, now."""
        resting = not (self.training or torch.is_grad_enabled())
        return self.words_at_once > 0 and resting

    @torch.jit.unused
    def slices(self, device: torch.device) -> Iterator[Tensor]:
        """Cut the vocabulary into slices of ``words_at_once``.

        Args:
            device: Where the indices shall be.

        Yields:
            Word indices, int64.
        """
        for first in range(0, self.vocabulary, self.words_at_once):
            last = min(first + self.words_at_once, self.vocabulary)
            yield torch.arange(first, last, device=device)

    @torch.jit.unused
    def sliced_scores(self, hidden: Tensor) -> Tensor:
        """Score the vocabulary as :meth:`scores` does, slice by slice."""
        flat = as_matrix(hidden)
        parts = [
            F.linear(*self.factors_of(flat, words))
            for words in self.slices(hidden.device)
        ]
        return shaped_like(torch.cat(parts, -1), hidden)

    def scores(self, hidden: Tensor) -> Tensor:
        """Score the vocabulary without the bias.

        Args:
            hidden: Decoder states, ``(..., D)``.

        Returns:
            Scores, ``(..., V)``.
        """
        states, weights = self.softmax_factors(as_matrix(hidden))
        return shaped_like(F.linear(states, weights), hidden)

    def forward(self, hidden: Tensor) -> Tensor:
        """Score the vocabulary.

        Args:
            hidden: Decoder states, ``(..., D)``.

        Returns:
            Logits, ``(..., V)``.
        """
        if torch.jit.is_scripting():
            logits = self.scores(hidden)
        elif self.is_sliced():
            logits = self.sliced_scores(hidden)
        else:
            logits = self.scores(hidden)
        if self.bias is not None:
            logits = self.bias(logits)
        return logits


def as_matrix(hidden: Tensor) -> Tensor:
    """Give states, ``(..., D)``, as a matrix, ``(N, D)``: one product scores all.

    Given three dimensions and weights without gradients, torch multiplies sentence by
    sentence, which in beam search on a CPU takes ten times as long.
    """
    return hidden.reshape(-1, hidden.size(-1))


def shaped_like(scores: Tensor, hidden: Tensor) -> Tensor:
    """Give the scores of :func:`as_matrix`'s states, ``(N, V)``, as ``(..., V)``."""
    return scores.reshape(hidden.shape[:-1] + scores.shape[-1:])
