"""Hash embeddings: weighted sums of a few shared vectors, which hashes choose."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..errors import AloneError
from .base import CompactEmbedding, TableSize
from .hash_functions import MANY, HashFunctions
from .options import SEEDS, MethodOptions, in_small_presets, option
from .registry import register_embedding

DEGREE = 3
"""Of the hash functions: any four words go to independent buckets, so that collisions
are as many, and vary as much, as if buckets were drawn."""


@dataclass
class HashedConfig(MethodOptions):
    """Options of hash embeddings, with the symbols of Svenstrup et al. (2017)."""

    sizes = in_small_presets(hashed_buckets="auto:0.5")

    hashed_buckets: int = option(
        4096,
        "shared vectors B; auto:0.5 for as many as make at most half of the trained "
        "values of look-up",
        at_least=1,
    )
    hashed_num_hashes: int = option(
        2,
        "hash functions k, each of which gives a word a shared vector",
        at_least=1,
        below=MANY,
    )
    hashed_weight_rows: int = option(
        0,
        "rows K of importance weights, k weights each; 0 for one a word. Fewer rows "
        "than words are shared by a further hash function",
        at_least=0,
    )
    hashed_append_weights: bool = option(
        False,
        "the last k of the D values of a word are its importance weights, and the sum "
        "has D - k. The paper makes vectors of D + k, which no model here has room for",
    )
    hashed_seed: int = option(
        1, "seed from which the hash functions follow", at_least=0, below=SEEDS
    )

    def free_size(self) -> str:
        """Name the number of shared vectors."""
        return "hashed_buckets"

    @staticmethod
    def sizes_in(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
        """Read ``B`` and ``k``; see the base class."""
        found = {}
        if "pool" in shapes:
            found["hashed_buckets"] = shapes["pool"][0]
        if "importance" in shapes:
            found["hashed_num_hashes"] = shapes["importance"][1]
        return found


@register_embedding("hashed", HashedConfig)
class HashedEmbedding(CompactEmbedding):
    """Hash embeddings: ``e_w = sum_i p_w^i E[H_i(w)]``.

    Svenstrup, Hansen and Winther (2017), "Hash Embeddings for Efficient Word
    Representations": ``B D + K k`` trained values.

    Attributes:
        pool: The shared vectors ``E``, ``(B, D)``, or ``(B, D - k)`` where weights are
            appended.
        importance: The weights ``p``, ``(K, k)``.

    Reference:
        https://arxiv.org/abs/1709.03933
    """

    rows_are_cheap = True

    def lay_out(self, config: HashedConfig, size: TableSize) -> None:
        """Make shared vectors, weights and hash functions; see the base class."""
        count = config.hashed_num_hashes
        summed = size.embedding_dim - count * config.hashed_append_weights
        if summed < 1:
            raise AloneError(
                f"--hashed-append-weights leaves nothing of the {size.embedding_dim}"
                f" values of a word for the sum: lower --hashed-num-hashes ({count})"
            )
        self.appends = config.hashed_append_weights
        self.shares_weights = config.hashed_weight_rows > 0
        self.num_hashes, self.num_buckets = count, config.hashed_buckets
        self.num_weight_rows = config.hashed_weight_rows or size.num_embeddings
        # The first one is for the rows of weights, the others are for buckets.
        self.hashes = HashFunctions(config.hashed_seed, 1 + count, DEGREE)
        self.pool = nn.Parameter(torch.empty(self.num_buckets, summed))
        self.importance = nn.Parameter(torch.empty(self.num_weight_rows, count))

    def reset_parameters(self) -> None:
        """Draw both normal, so that a word's values have deviation ``D^-0.5``.

        The paper's, 0.0005 for weights, would make vectors of almost nothing.
        """
        table, sum_of = self.embedding_dim**-0.5, self.num_hashes**-0.5
        weights, pool = (table, sum_of) if self.appends else (sum_of, table)
        nn.init.normal_(self.importance, mean=0.0, std=weights)
        nn.init.normal_(self.pool, mean=0.0, std=pool)

    def description(self) -> dict[str, Any]:
        """Name all that the hash functions follow from, and their checksum."""
        return {
            **super().description(),
            "seed": self.config.hashed_seed,
            "weight_rows": self.config.hashed_weight_rows,
            "append_weights": self.appends,
            "checksum": self.hashes.checksum,
        }

    def rows(self, tokens: Tensor) -> Tensor:
        """Sum the shared vectors of ``tokens``; see the base class."""
        words = tokens.flatten()
        hashed = self.hashes(words)
        if self.shares_weights:
            words = hashed[:, 0] % self.num_weight_rows
        weights = F.embedding(words, self.importance)
        buckets = hashed[:, 1:] % self.num_buckets
        vectors = F.embedding_bag(
            buckets, self.pool, mode="sum", per_sample_weights=weights
        )
        if self.appends:
            vectors = torch.cat([vectors, weights], dim=1)
        return vectors.view(tokens.shape + (self.embedding_dim,))  # noqa: RUF005 (TorchScript)
