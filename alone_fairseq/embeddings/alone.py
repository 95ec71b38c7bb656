"""ALONE: all word embeddings from one embedding."""

import math
from itertools import pairwise
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..footprint import is_only_measured
from .alone_options import AloneConfig
from .base import CompactEmbedding, TableSize
from .dropout import Dropout
from .filter_layer import filter_layer
from .filters import RandomFilters
from .initial_scale import take_scale_of_lookup
from .own_values import OwnValues
from .random_codes import draw_binary_codebooks, draw_codes, draw_real_codebooks
from .registry import register_embedding
from .relu_mean import mean_of_relu
from .tables.network import network_table


@register_embedding("alone", AloneConfig)
class AloneEmbedding(CompactEmbedding):
    """ALONE: every word vector from one trained vector (Takase and Kobayashi, 2020).

    ``e_w = W2 relu(W1 (f_w * o))``: ``o`` is the base vector shared by all words,
    ``f_w`` the fixed random filter of word ``w``, which is never stored.

    Reference:
        https://arxiv.org/abs/2004.12073
    """

    def lay_out(self, config: AloneConfig, size: TableSize) -> None:
        """Draw the filters and make the feed-forward network; see the base class."""
        base_dim = config.alone_base_dim or size.embedding_dim
        self.filters = _draw_filters(config, size.num_embeddings, base_dim)
        self.base = nn.Parameter(
            torch.empty(base_dim), requires_grad=not config.alone_freeze_base
        )
        inner = [config.alone_inter_dim] * (config.alone_num_layers - 1)
        sizes = [base_dim, *inner, size.embedding_dim]
        self.layers = nn.ModuleList(
            nn.Linear(size_in, size_out, bias=False)
            for size_in, size_out in pairwise(sizes)
        )
        self.own: OwnValues | None = None
        if config.alone_own_dim:
            every = size.num_embeddings
            words = min(config.alone_own_words or every, every)
            self.own = OwnValues(words, config.alone_own_dim, size.embedding_dim)
        self.relu_dropout = Dropout(
            config.alone_relu_dropout, module_name=self.__class__.__name__
        )
        self.dropout_updates = config.alone_relu_dropout_updates
        self.centred = config.alone_centre
        self.num_updates = 0

    def reset_parameters(self) -> None:
        """Draw ``o`` and the layers as the published code does.

        ``o`` is normal with deviation ``(D_o + D_inter)^-0.05`` for binary and
        ``(D_o + D_inter)^-0.3`` for real filters, the layers are Xavier-uniform. One
        layer has no ``D_inter``.
        ``--alone-initial-scale`` then multiplies ``o`` or the last layer by one factor.
        """
        exponent = -0.05 if self.filters.binary else -0.3
        inner = self.config.alone_inter_dim if len(self.layers) > 1 else 0
        width = self.base.numel() + inner
        nn.init.normal_(self.base, mean=0.0, std=width**exponent)
        for matrix in self.layers.parameters():
            nn.init.xavier_uniform_(matrix)
        if self.own is not None:
            self.own.reset_parameters()
        if self.config.alone_initial_scale == "lookup":
            take_scale_of_lookup(self, self.base)
        if self.config.alone_initial_scale == "lookup_layer":
            *_, last = self.layers.parameters()
            take_scale_of_lookup(self, last)

    def description(self) -> dict[str, Any]:
        """Name all that the filters follow from, and their checksum."""
        config = self.config
        words = config.alone_own_words
        some = words if words < self.num_embeddings else 0
        kind = (
            {"zero_prob": config.alone_zero_prob}
            if self.filters.binary
            else {"filter_std": config.alone_filter_std}
        )
        return {
            **super().description(),
            "filter": config.alone_filter,
            "seed": config.alone_seed,
            "num_codebooks": config.alone_num_codebooks,
            "codebook_size": config.alone_codebook_size,
            "base_dim": self.base.numel(),
            **kind,
            # Only where it is on: older checkpoints do not know of it.
            **({"centre": True} if self.centred else {}),
            **({"own_words": some} if some else {}),
            "checksum": self.filters.checksum(),
        }

    def set_num_updates(self, num_updates: int) -> None:
        """Learn how many updates are done; fairseq calls this before each update."""
        self.num_updates = num_updates

    def network_matrices(self) -> dict[str, nn.Parameter]:
        """Name the layers' weights; see the base class."""
        shared = {f"layers.{n}": matrix for n, matrix in self.layers.named_parameters()}
        if self.own is not None:
            shared["own.expansion"] = self.own.expansion
        return shared

    def rows(self, tokens: Tensor) -> Tensor:
        """Build the vectors of ``tokens``; see the base class."""
        matrix = self.first_matrix()
        words = tokens.flatten()
        vectors = self.upper_layers(self.inner_values(words, matrix))
        vectors = self.complete(vectors, words, matrix)
        return vectors.view(tokens.shape + (self.embedding_dim,))  # noqa: RUF005 (TorchScript)

    def first_matrix(self) -> Tensor:
        """Give ``W1 diag(o)``, ``(H, D_o)``, which makes ``W1 (f * o)`` of a filter.

        Filters need no gradient, so the way back through it is one product of matrices,
        and not a second one for ``f * o``, whose only use is ``o``.
        """
        first: Tensor = self.layers[0].weight  # type: ignore[assignment]
        return first * self.base

    def complete(self, vectors: Tensor, tokens: Tensor, matrix: Tensor) -> Tensor:
        """Do with the network's vectors what is done after the last layer.

        Centring takes ``W2`` times the mean of the inner values off, one subtraction a
        vector in place of one an inner value.

        Args:
            vectors: What :meth:`upper_layers` gave, ``(..., D)``.
            tokens: Whose vectors they are, int64, ``(...)``.
            matrix: What :meth:`first_matrix` gave.

        Returns:
            Word vectors, ``(..., D)``.
        """
        if self.centred:
            mean = mean_of_relu(matrix, self.filters.mean, self.filters.deviation)
            vectors = vectors - self.layers[-1](mean)
        if self.own is not None:
            vectors = vectors + self.own(tokens)
        return vectors

    def inner_values(self, words: Tensor, matrix: Tensor) -> Tensor:
        """Give ``W1 (f_w * o)``, the values before the first ReLU.

        Args:
            words: Word indices, int64, ``(N)``.
            matrix: What :meth:`first_matrix` gave.

        Returns:
            Values, ``(N, H)``, and no view of others: they are overwritten, which
            costs autograd copies where it is a view.
        """
        if torch.jit.is_scripting():
            return F.linear(self.filters(words).to(matrix.dtype), matrix)
        return filter_layer(self.filters, matrix, words.numel())(words)

    def upper_layers(self, values: Tensor, dropout: bool = False) -> Tensor:
        """Apply the ReLU and all layers after the first.

        Args:
            values: Values of the first layer, ``(..., H)``; they are overwritten.
            dropout: Whether ReLU dropout acts.

        Returns:
            Word vectors, ``(..., D)``, not centred yet.
        """
        for number, layer in enumerate(self.layers):
            if number > 0:
                values = F.relu(values, inplace=True)
                values = layer(self.relu_dropout(values) if dropout else values)
        return values

    def many_rows(self, words: Tensor) -> Tensor:
        """Build the vectors piece by piece; see the base class."""
        if torch.jit.is_scripting():
            return self.rows(words)
        matrix = self.first_matrix()
        first = filter_layer(self.filters, matrix, words.numel())
        # As the layers have them: a weight or spectral norm puts others in their place.
        upper = [cast(Tensor, layer.weight) for layer in self.layers][1:]
        vectors = network_table(words, first, upper, self.config.alone_keep_inner)
        return self.complete(vectors, words, matrix)

    def training_rows(self, tokens: Tensor) -> Tensor:
        """Build input vectors, with dropout after each ReLU while it is active."""
        stopped = 0 < self.dropout_updates <= self.num_updates
        if stopped or not self.relu_dropout.acts():
            return self.shared_rows(tokens)
        # Dropout differs from one place to the next, the first layer only from word
        # to word.
        words, places = torch.unique(tokens, return_inverse=True)
        matrix = self.first_matrix()
        values = F.embedding(places, self.inner_values(words, matrix))
        vectors = self.upper_layers(values, dropout=True)
        return self.complete(vectors, tokens, matrix)


def _draw_filters(config: AloneConfig, vocabulary: int, dim: int) -> RandomFilters:
    seed, codebooks = config.alone_seed, config.alone_num_codebooks
    size = config.alone_codebook_size
    if is_only_measured():
        kind = torch.uint8 if config.alone_filter == "binary" else torch.float32
        codes = torch.empty(vocabulary, codebooks, dtype=torch.uint8)
        rows = torch.empty(codebooks * size, dim, dtype=kind)
        return RandomFilters(codes, rows, 0.0, 1.0)
    codes = draw_codes(seed, vocabulary, codebooks, size)
    if config.alone_filter == "binary":
        zeros = config.alone_zero_prob
        rows = draw_binary_codebooks(seed, codebooks, size, dim, zeros)
        return RandomFilters(codes, rows, 1.0 - zeros, math.sqrt(zeros * (1.0 - zeros)))
    std = config.alone_filter_std
    rows = draw_real_codebooks(seed, codebooks, size, dim, std)
    return RandomFilters(codes, rows, 0.0, std)
