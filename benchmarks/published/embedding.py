"""The published formulation: dense filters, and the table built anew each time."""

from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from alone_fairseq.embeddings import CompactEmbedding, MethodOptions, TableSize
from alone_fairseq.embeddings.alone import AloneEmbedding
from alone_fairseq.embeddings.alone_options import AloneConfig
from alone_fairseq.embeddings.registry import register_embedding
from alone_fairseq.footprint import Footprint


@dataclass
class PublishedConfig(MethodOptions):
    """No options of its own: it reads those of ALONE."""

    @classmethod
    def from_namespace(cls, namespace: Any) -> Any:
        """Take ALONE's options from the command line's."""
        return AloneConfig.from_namespace(namespace)


@register_embedding("published", PublishedConfig)
class PublishedEmbedding(CompactEmbedding):
    """ALONE with a resident ``V x D_o`` filter matrix and nothing kept.

    ``e_w = W2 relu(W1 (f_w * o))`` as published: every token of the input goes through
    the feed-forward network, equal ones too, and the softmax sends the whole
    vocabulary through it in every forward pass and at every decoding step. Parameters,
    filters and initial values are those of :class:`AloneEmbedding`.

    Two things are easier on it than the authors' program: the filters are cast with the
    model, which makes half precision possible at all, and no copy is made for the
    dropout of probability 0 on the softmax side.
    """

    dense_filters: Tensor

    def lay_out(self, config: AloneConfig, size: TableSize) -> None:
        """Make ALONE's parameters and write its filters out, one row a word."""
        alone = AloneEmbedding(*size, config=config)
        self.base, self.layers = alone.base, alone.layers
        if self.base.is_meta:  # only its size is wanted
            filters = torch.empty(size.num_embeddings, self.base.numel())
        else:
            filters = alone.filters(torch.arange(size.num_embeddings, device="cpu"))
        self.register_buffer("dense_filters", filters, persistent=False)
        self.num_updates = 0

    def reset_parameters(self) -> None:
        """Leave what ALONE has drawn while it was laid out."""

    def description(self) -> dict[str, Any]:
        """Name what the filters follow from."""
        config = self.config
        return {
            **super().description(),
            "filter": config.alone_filter,
            "seed": config.alone_seed,
        }

    def footprint(self) -> Footprint:
        """Measure the parameters and the file of filters beside each checkpoint.

        The published program writes all filters, as float32, next to its checkpoints.
        """
        values = super().footprint()
        file_bytes = 4 * self.dense_filters.numel()
        return Footprint(
            values.trained_values,
            values.stored_values,
            values.stored_bytes + file_bytes,
        )

    def set_num_updates(self, num_updates: int) -> None:
        """Learn how many updates are done; fairseq calls this before each update."""
        self.num_updates = num_updates

    def rows(self, tokens: Tensor) -> Tensor:
        """Build the vectors of ``tokens``, each on its own; see the base class."""
        return self._network(tokens, dropout=0.0)

    def training_rows(self, tokens: Tensor) -> Tensor:
        """Build input vectors, with dropout after each ReLU while it is active."""
        stop = self.config.alone_relu_dropout_updates
        active = self.training and not 0 < stop <= self.num_updates
        return self._network(tokens, self.config.alone_relu_dropout if active else 0.0)

    def tied_logits(self, hidden: Tensor) -> Tensor:
        """Score the vocabulary by a table built for this call; see the base class."""
        return F.linear(hidden, self.table())

    def _network(self, tokens: Tensor, dropout: float) -> Tensor:
        values = F.embedding(tokens, self.dense_filters) * self.base
        for number, layer in enumerate(self.layers):
            if number > 0:
                values = F.relu(values)
                if dropout > 0.0:
                    values = F.dropout(values, dropout)
            values = layer(values)
        return values
