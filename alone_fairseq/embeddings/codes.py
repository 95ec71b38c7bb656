"""Compositional codes: a word is the sum of one codeword from each of M codebooks."""

import dataclasses
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .base import CompactEmbedding, TableSize
from .options import SEEDS, MethodOptions, in_small_presets, option
from .random_codes import draw_codes
from .registry import register_embedding
from .stored_integers import store_integers

PRODUCTS_AN_ADDITION = 2
"""Multiplications that a product of matrices does in the time of one addition of a sum
over codes, on a CPU: measured for training, where sums gain least (docs/speed.md)."""


@dataclass
class CodesConfig(MethodOptions):
    """Options of compositional codes."""

    sizes = in_small_presets()

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

    codes_start: str = option(
        "plain",
        "what trained codewords are multiplied by: 'plain', by nothing, as published;"
        " or 'steps', by 1/M, with larger codewords at the start, so that a step of"
        " Adam's, which moves all M codewords of a word at once, takes a word no"
        " farther than one of a look-up table's does",
        choices=("plain", "steps"),
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
        codewords: The codebooks one below the other, ``(M * K, D)``, as they are
            trained: what is added is these times ``unit``.
        unit: 1, or ``1 / M`` with ``--codes-start steps``.
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
        self.unit = 1.0 / books if config.codes_start == "steps" else 1.0
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
        deviation = (codebooks * dim) ** -0.5 / self.unit
        nn.init.normal_(self.codewords, mean=0.0, std=deviation)

    def description(self) -> dict[str, Any]:
        """Name the sizes; the codes themselves are stored."""
        start = self.config.codes_start
        return {
            **super().description(),
            "num_codebooks": self.config.codes_num_codebooks,
            "codebook_size": self.config.codes_codebook_size,
            **({} if start == "plain" else {"start": start}),
        }

    def added(self) -> Tensor:
        """Give the codewords as they are added, ``(M * K, D)``."""
        return self.codewords if self.unit == 1.0 else self.codewords * self.unit

    def codes(self) -> Tensor:
        """Give the codes in ``[0, K)`` of all words, int32, ``(V, M)``."""
        size: int = self.config.codes_codebook_size
        return self.codes_version % size

    def set_codes(self, codes: Tensor) -> None:
        """Give all words other codes.

        Args:
            codes: Integers in ``[0, K)``, ``(V, M)``.

        Raises:
            ValueError: If they have another shape, or lie outside.
        """
        books, values = self.config.codes_num_codebooks, self.config.codes_codebook_size
        if codes.shape != (self.num_embeddings, books):
            raise ValueError(
                f"codes must be ({self.num_embeddings}, {books}), not"
                f" {tuple(codes.shape)}"
            )
        if codes.min() < 0 or codes.max() >= values:
            raise ValueError(f"codes must lie in [0, {values})")
        first = values * torch.arange(books, device=codes.device)
        self.codes_version.copy_(codes + first)

    @torch.no_grad()
    def set_codewords(self, codewords: Tensor) -> None:
        """Give the codebooks other codewords, ``(M * K, D)``, as they are added."""
        self.codewords.copy_(codewords / self.unit)

    def stored_as(self, other: CompactEmbedding) -> CompactEmbedding:
        """Give the same vectors with the codewords multiplied as in ``other``."""
        if not isinstance(other, CodesEmbedding) or other.unit == self.unit:
            return self
        start = other.config.codes_start
        config = dataclasses.replace(self.config, codes_start=start)
        size = (self.num_embeddings, self.embedding_dim, self.padding_idx)
        made = CodesEmbedding(*size, config=config).train(self.training)
        made.set_codes(self.codes())
        made.set_codewords(self.added())
        return made

    def rows(self, tokens: Tensor) -> Tensor:
        """Add the codewords of ``tokens``; see the base class."""
        found = self.codes_version[tokens.flatten()]
        vectors = F.embedding_bag(found, self.added(), mode="sum")
        shape = tokens.shape + (self.embedding_dim,)  # noqa: RUF005 (TorchScript)
        return vectors.view(shape)

    def table(self) -> Tensor:
        """Add the codewords of all words, ``(V, D)``; nothing larger is on the way."""
        return F.embedding_bag(self.codes_version, self.added(), mode="sum")

    def tied_logits(self, hidden: Tensor) -> Tensor:
        """Score the vocabulary, through the table or by sums; see the base class.

        By sums, each codeword is scored once, and a word's score is the sum of those of
        its codewords. That is done on a CPU where counted operations say that it is
        cheaper; elsewhere products of matrices cost far less than additions.
        """
        by_sums = self.sums_are_cheaper and hidden.device.type == "cpu"
        if not by_sums or hidden.numel() == 0:  # PyTorch adds up no rows of length 0
            states, weights = self.softmax_factors(hidden)
            return F.linear(states, weights)
        states = hidden.reshape(-1, self.embedding_dim)
        # Codewords by states: rows of it are added, which is far faster than columns.
        scores = self.added() @ states.t()
        summed = F.embedding_bag(self.codes_version, scores, mode="sum")
        shape = hidden.shape[:-1] + (self.num_embeddings,)  # noqa: RUF005 (as above)
        return summed.t().reshape(shape)
