"""Compositional codes: a word is the sum of one codeword from each of M codebooks."""

from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .base import CompactEmbedding, TableSize
from .options import SEEDS, MethodOptions, option
from .random_codes import draw_codes
from .registry import register_embedding
from .stored_integers import store_integers

PRODUCTS_AN_ADDITION = 2
"""Multiplications that a product of matrices does in the time of one addition of a sum
over codes, on a CPU: measured for training, where sums gain least (docs/speed.md)."""


@dataclass
class CodesConfig(MethodOptions):
    """Options of compositional codes."""

    codes_num_codebooks: int = option(
        32,
        "codebooks M, each of which gives a word one codeword; auto:0.5 for as many as "
        "make at most half of the trained values of look-up",
        at_least=1,
    )
    codes_codebook_size: int = option(
        16, "codewords K of a codebook", at_least=2, at_most=2**16
    )
    codes_seed: int = option(
        1,
        "seed of random codes; learned ones are what alone-fairseq codes learn writes,"
        " for --embedding-init",
        at_least=0,
        below=SEEDS,
    )

    def free_size(self) -> str:
        """Name the number of codebooks."""
        return "codes_num_codebooks"


@register_embedding("codes", CodesConfig)
class CodesEmbedding(CompactEmbedding):
    """Fixed codes, trained codewords: ``E(w) = sum_i A_i[C_w^i]``.

    Shu and Nakayama (2018), equations 1 and 4. Codes are drawn from a seed until others
    are loaded; they are stored with the codewords, so nothing else has to be kept.

    Attributes:
        codewords: The codebooks one below the other, ``(M * K, D)``.
        codes_version: The row there of each word's codeword in each codebook, int32,
            ``(V, M)``: its code and ``K`` times the number of the codebook.
    """

    codes_version: Tensor
    rows_are_cheap = True

    def lay_out(self, config: CodesConfig, size: TableSize) -> None:
        """Make the codebooks, and draw the codes; see the base class."""
        books, values = config.codes_num_codebooks, config.codes_codebook_size
        vocabulary, dim = size[:2]
        self.codewords = nn.Parameter(torch.empty(books * values, dim))
        rows = torch.empty(vocabulary, books, dtype=torch.int32)
        if not rows.is_meta:  # else only the size is wanted
            rows = draw_codes(config.codes_seed, vocabulary, books, values).int()
            rows += values * torch.arange(books, dtype=torch.int32)
        store_integers(self, "codes_version", rows)
        through_table = vocabulary * dim
        by_sums = books * (PRODUCTS_AN_ADDITION * vocabulary + values * dim)
        self.sums_are_cheaper = by_sums < through_table

    def reset_parameters(self) -> None:
        """Draw codewords whose sums have deviation ``D^-0.5``."""
        codebooks, dim = self.config.codes_num_codebooks, self.embedding_dim
        nn.init.normal_(self.codewords, mean=0.0, std=(codebooks * dim) ** -0.5)

    def description(self) -> dict[str, Any]:
        """Name the sizes; the codes themselves are stored."""
        return {
            **super().description(),
            "num_codebooks": self.config.codes_num_codebooks,
            "codebook_size": self.config.codes_codebook_size,
        }

    def codes(self) -> Tensor:
        """Give the codes in ``[0, K)`` of all words, int32, ``(V, M)``."""
        size: int = self.config.codes_codebook_size
        return self.codes_version % size

    def set_codes(self, codes: Tensor) -> None:
        """Give all words other codes.

        Args:
            codes: Integers in ``[0, K)``, ``(V, M)``.
        """
        books, values = codes.size(1), self.config.codes_codebook_size
        first = values * torch.arange(books, device=codes.device)
        self.codes_version.copy_(codes + first)

    def rows(self, tokens: Tensor) -> Tensor:
        """Add the codewords of ``tokens``; see the base class."""
        found = self.codes_version[tokens.flatten()]
        added = F.embedding_bag(found, self.codewords, mode="sum")
        shape = tokens.shape + (self.embedding_dim,)  # noqa: RUF005 (TorchScript)
        return added.view(shape)

    def table(self) -> Tensor:
        """Add the codewords of all words, ``(V, D)``; nothing larger is on the way."""
        return F.embedding_bag(self.codes_version, self.codewords, mode="sum")

    def tied_logits(self, hidden: Tensor) -> Tensor:
        """Score the vocabulary, through the table or by sums; see the base class.

        By sums, each codeword is scored once, and a word's score is the sum of those of
        its codewords. That is done on a CPU where counted operations say that it is
        cheaper; elsewhere products of matrices cost far less than additions.
        """
        if not (self.sums_are_cheaper and hidden.device.type == "cpu"):
            states, weights = self.softmax_factors(hidden)
            return F.linear(states, weights)
        states = hidden.reshape(-1, self.embedding_dim)
        # Codewords by states: rows of it are added, which is far faster than columns.
        scores = self.codewords @ states.t()
        summed = F.embedding_bag(self.codes_version, scores, mode="sum")
        shape = hidden.shape[:-1] + (self.num_embeddings,)  # noqa: RUF005 (as above)
        return summed.t().reshape(shape)
