"""Adam of a table of words, pulled back to the last matrix of ALONE's network."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from alone_fairseq.embeddings.alone import AloneEmbedding
from alone_fairseq.embeddings.relu_mean import mean_of_relu
from alone_fairseq.errors import AloneError

BETAS = (0.9, 0.98)
"""Decay of both moments, as in the recipes' Adam."""


class PulledBackAdam:
    """The step of ALONE's last matrix that is closest to that of Adam for a table.

    A look-up table E moves by ``-lr m_w / sqrt(v_w)`` a word, here with one mean of
    squares ``v_w`` a word. ALONE's table is ``Phi W2^T``, with the inner values of word
    w, centred, in row w of Phi. Of all changes of W2, that by
    ``-lr M (Phi^T diag(sqrt v) Phi)^-1`` moves the table closest to that, in the metric
    ``diag(sqrt v)``; M is the momentum of W2's gradient.

    The gradient of the table is taken where an update's forward pass has built it.
    Updates of several micro-batches are refused at the second one.

    Args:
        embedding: ALONE with two layers, tied to the softmax, without ReLU dropout.
        damping: Multiple of the metric's mean diagonal entry that is added to its
            diagonal.

    Attributes:
        updates: Steps made.

    Raises:
        AloneError: If the embedding has no such form, or the damping is out of range.
    """

    def __init__(self, embedding: Any, damping: float) -> None:
        """Watch the embedding's table; see the class."""
        fits = isinstance(embedding, AloneEmbedding) and len(embedding.layers) == 2
        if not fits or not embedding.serves_softmax or embedding.relu_dropout.p > 0:
            raise AloneError(
                "--task translation_table_metric needs --arch transformer_alone...,"
                " --share-all-embeddings, --alone-num-layers 2 and"
                " --alone-relu-dropout 0"
            )
        if not 0.0 < damping < float("inf"):
            raise AloneError(
                f"--table-metric-damping must be above 0 and finite, not {damping}"
            )
        self.embedding, self.damping = embedding, damping
        self.updates = 0
        self._table: Tensor | None = None
        self._gradient: Tensor | None = None
        embedding.register_forward_hook(self._watch)

    @property
    def matrix(self) -> nn.Parameter:
        """The last matrix of the network, ``(D, H)``."""
        last: nn.Parameter = self.embedding.layers[-1].weight
        return last

    def _watch(self, embedding: Any, given: Any, vectors: Tensor) -> None:
        del given
        _, table = embedding.softmax_factors(vectors)
        # Encoder and decoder look words up in the same table.
        if table.requires_grad and table is not self._table:
            self._table = table
            table.register_hook(self._take)

    def _take(self, gradient: Tensor) -> None:
        if self._gradient is not None:
            raise AloneError("--task translation_table_metric needs --update-freq 1")
        self._table, self._gradient = None, gradient

    @torch.no_grad()
    def features(self) -> Tensor:
        """Give the centred inner values of all words, ``(V, H)``."""
        alone = self.embedding
        first = alone.first_matrix()
        words = torch.arange(alone.num_embeddings, device=first.device)
        values: Tensor = alone.inner_values(words, first).relu_()
        if alone.centred:
            values -= mean_of_relu(first, alone.filters.mean, alone.filters.deviation)
        return values

    @torch.no_grad()
    def step(self, lr: float) -> None:
        """Move the matrix, and take its gradient from other optimisers.

        Args:
            lr: Learning rate, in the units of Adam's.

        Raises:
            AloneError: If there is no gradient of the table.
        """
        gradient, table_gradient = self.matrix.grad, self._gradient
        if gradient is None or table_gradient is None:
            raise AloneError(
                "--task translation_table_metric: no gradient came through the table of"
                " all words: choose a --criterion whose softmax has all of them"
            )
        if not self.updates:
            self._momentum = torch.zeros_like(gradient)
            self._squares = gradient.new_zeros(len(table_gradient))
        self.updates += 1
        beta1, beta2 = BETAS
        features = self.features()
        seen = self._as_clipped(table_gradient, features, gradient)
        self._momentum.lerp_(gradient, 1 - beta1)
        self._squares.lerp_(seen.square().mean(dim=1), 1 - beta2)
        root = (self._squares / (1 - beta2**self.updates)).sqrt()
        metric = features.T @ (features * root[:, None])
        metric.diagonal().add_(self.damping * metric.diagonal().mean())
        momentum = self._momentum / (1 - beta1**self.updates)
        solved = torch.cholesky_solve(momentum.T, torch.linalg.cholesky(metric))
        self.matrix.sub_(solved.T, alpha=lr)
        self.matrix.grad = self._gradient = None

    def _as_clipped(
        self, gradient: Tensor, features: Tensor, clipped: Tensor
    ) -> Tensor:
        """Scale the table's gradient as fairseq has since scaled that of the matrix.

        It divides by the number of tokens and clips; Adam of a table would see that.
        """
        before = gradient.T @ features
        return gradient * ((before * clipped).sum() / before.square().sum())
