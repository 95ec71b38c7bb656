"""Factorised embedding: a narrow look-up table and one linear map."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .base import CompactEmbedding, TableSize
from .initial_scale import deviation_for_steps
from .options import MethodOptions, in_small_presets, option
from .registry import register_embedding

SIZES: Mapping[str, Mapping[str, Any]] = {
    **in_small_presets({"low_rank_start": "steps"}, low_rank_dim="auto:0.5"),
    # As many values as ALONE has with the paper's inner size.
    "gigaword": {"low_rank_dim": 62},
}
"""Options in presets."""


@dataclass
class LowRankConfig(MethodOptions):
    """Options of the factorised embedding."""

    sizes = SIZES

    low_rank_dim: int = option(
        128,
        "inner size r of the factorised embedding (V x r and r x D); 128 and 256 are "
        "the sizes of Takase and Kobayashi (2020), Table 2; auto:0.5 for the largest "
        "with at most half of the values of look-up",
        at_least=1,
    )
    low_rank_start: str = option(
        "even",
        "initial size of the two factors: 'even', each as large as a look-up table's "
        "of its own size; or 'steps', the r x D matrix larger and the words' values "
        "smaller, so that a step of Adam's changes a word as much as one of a look-up "
        "table's does. Their product is as large in both",
        choices=("even", "steps"),
    )

    def free_size(self) -> str:
        """Name the rank."""
        return "low_rank_dim"

    @staticmethod
    def sizes_in(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
        """Read the rank; see the base class."""
        narrow = shapes.get("narrow")
        return {"low_rank_dim": narrow[1]} if narrow else {}


@register_embedding("low_rank", LowRankConfig)
class LowRankEmbedding(CompactEmbedding):
    """Vectors of size ``r`` a word, expanded by a shared matrix: ``e_w = v_w P``.

    The "factorized embed" of Takase and Kobayashi (2020), section 3.2.
    """

    rows_are_cheap = True

    def lay_out(self, config: LowRankConfig, size: TableSize) -> None:
        """Make the two factors; see the base class."""
        rank = config.low_rank_dim
        self.narrow = nn.Parameter(torch.empty(size.num_embeddings, rank))
        self.expansion = nn.Parameter(torch.empty(rank, size.embedding_dim))

    def network_matrices(self) -> dict[str, nn.Parameter]:
        """Name the expansion; see the base class."""
        return {"expansion": self.expansion}

    def reset_parameters(self) -> None:
        """Draw both factors so that the product has deviation ``D^-0.5``.

        With ``--low-rank-start even`` the narrow table starts as a conventional one of
        size ``r`` would, with deviation ``r^-0.5``; the expansion has ``D^-0.5``.
        """
        rank, dim = self.expansion.shape
        narrow, expansion = rank**-0.5, dim**-0.5
        if self.config.low_rank_start == "steps":
            larger = deviation_for_steps(rank, dim) / expansion
            narrow, expansion = narrow / larger, expansion * larger
        nn.init.normal_(self.narrow, mean=0.0, std=narrow)
        nn.init.normal_(self.expansion, mean=0.0, std=expansion)

    @torch.no_grad()
    def take_vectors(self, vectors: Tensor) -> None:
        """Take the nearest table of rank ``r``, by a singular value decomposition.

        No other has a smaller squared distance (Eckart and Young, 1936). The expansion
        keeps its initial size, and the narrow table has the rest.
        """
        if not vectors.any():  # no direction is better than the initial ones
            self.narrow.zero_()
            return
        left, values, right = torch.linalg.svd(vectors, full_matrices=False)
        rank = min(self.expansion.size(0), len(values))
        root = values[:rank].sqrt()
        larger = self.expansion.norm() / (root.unsqueeze(1) * right[:rank]).norm()
        self.narrow.zero_()
        self.narrow[:, :rank] = left[:, :rank] * root / larger
        self.expansion[:rank] = root.unsqueeze(1) * right[:rank] * larger

    def rows(self, tokens: Tensor) -> Tensor:
        """Look ``tokens`` up and expand them; see the base class."""
        return F.embedding(tokens, self.narrow) @ self.expansion

    def softmax_factors(self, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """Take the cheaper order, down to ``r`` and then ``V``; see the base class."""
        return F.linear(hidden, self.expansion), self.narrow
