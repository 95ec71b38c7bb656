"""ALONE's fixed random filters, made of codebook rows when they are needed."""

import hashlib
from collections.abc import Callable
from typing import Self

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def sum_of_rows(picked: Tensor, rows: Tensor) -> Tensor:
    """Sum rows for each of ``N`` words.

    Args:
        picked: Which rows, int64, ``(N, M)``.
        rows: ``(M * c, size)``.

    Returns:
        Sums, ``(N, size)``.
    """
    return F.embedding_bag(picked, rows, mode="sum")


class RandomFilters(nn.Module):
    """The filter ``f_w`` of each word: a combination of ``M`` codebook rows.

    Codes and codebooks are no part of a checkpoint, and they keep their precision
    when the model is cast to another.

    Args:
        codes: Row of each codebook for each word, ``(V, M)``, integers.
        codebooks: All codebooks, ``(M * c, D_o)``: uint8 for binary filters (combined
            by OR), float32 for real ones (summed).
        mean: Mean of a filter's entries over all random filters.
        deviation: Their standard deviation.
    """

    codes: Tensor
    codebooks: Tensor
    offsets: Tensor

    def __init__(
        self, codes: Tensor, codebooks: Tensor, mean: float, deviation: float
    ) -> None:
        """Keep codes and codebooks in buffers that are not stored."""
        super().__init__()
        self.mean, self.deviation = mean, deviation
        self.binary = codebooks.dtype == torch.uint8
        num_codebooks = codes.size(1)
        first_rows = torch.arange(num_codebooks, device="cpu") * (
            codebooks.size(0) // num_codebooks
        )
        self.register_buffer("codes", codes, persistent=False)
        self.register_buffer("codebooks", codebooks, persistent=False)
        self.register_buffer("offsets", first_rows, persistent=False)

    def forward(self, tokens: Tensor) -> Tensor:
        """Build the filters of ``tokens``.

        Args:
            tokens: Word indices, int64, ``(...)``.

        Returns:
            Filters, float32, ``(..., D_o)``.
        """
        filters = self.sum_rows(tokens.flatten(), self.codebooks.float())
        if self.binary:
            filters = filters.clamp(max=1.0)
        return filters.view(tokens.shape + (filters.size(1),))  # noqa: RUF005 (TorchScript)

    def sum_rows(self, tokens: Tensor, rows: Tensor) -> Tensor:
        """Sum the ``M`` rows that the codes of each token pick.

        Args:
            tokens: Word indices, int64, ``(N)``.
            rows: One row for each row of the codebooks, ``(M * c, size)``.

        Returns:
            Sums, ``(N, size)``.
        """
        return sum_of_rows(self.picked_rows(tokens), rows)

    def picked_rows(self, tokens: Tensor) -> Tensor:
        """Tell which rows of the codebooks make up the filter of each token.

        Args:
            tokens: Word indices, int64, ``(N)``.

        Returns:
            Rows, int64, ``(N, M)``.
        """
        return self.codes[tokens].long() + self.offsets

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        exact = self.codebooks
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call] # torch's
        self.codebooks = exact.to(self.codebooks.device)
        return self

    @torch.jit.unused
    def checksum(self) -> str:
        """Fingerprint codes and codebooks: 16 hexadecimal digits of their SHA-256."""
        if self.codes.is_meta:  # only the size is wanted
            return "0" * 16
        digest = hashlib.sha256(self.codes.cpu().contiguous().numpy().data)
        digest.update(self.codebooks.cpu().contiguous().numpy().data)
        return digest.hexdigest()[:16]
