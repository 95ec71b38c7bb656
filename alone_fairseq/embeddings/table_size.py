"""The size of a table of word vectors, and what lies outside it."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ..errors import AloneError


class TableSize(NamedTuple):
    """The size of a table of word vectors, and whose they are.

    Attributes:
        num_embeddings: Vocabulary size ``V``, special symbols included.
        embedding_dim: Size ``D`` of a word vector.
        padding_idx: Row for which an embedding returns zeros as input of a model, if
            there is one.
        symbols: The word of each row, for methods that read how words are spelled.
    """

    num_embeddings: int
    embedding_dim: int
    padding_idx: int | None = None
    symbols: Sequence[str] | None = None

    def check(self) -> None:
        """Refuse a size that no table has.

        Raises:
            AloneError: In one line that names the value.
        """
        if self.num_embeddings < 1 or self.embedding_dim < 1:
            raise AloneError(
                f"a table needs at least one word and one value, not V ="
                f" {self.num_embeddings} and D = {self.embedding_dim}"
            )
        if self.symbols is not None and len(self.symbols) != self.num_embeddings:
            raise AloneError(
                f"a table of {self.num_embeddings} words cannot have"
                f" {len(self.symbols)} symbols"
            )
        if not 0 <= (self.padding_idx or 0) < self.num_embeddings:
            raise AloneError(
                f"padding_idx must lie in [0, {self.num_embeddings}), not"
                f" {self.padding_idx}"
            )


@torch.jit.unused
def refuse_outside(tokens: Tensor, num_embeddings: int) -> None:
    """Refuse indices of no row.

    A hash has a vector for any number, and codes are counted from their end by a
    negative one, such as -100, with which other libraries mark padding.

    Args:
        tokens: Word indices, int64 or int32, ``(...)``.
        num_embeddings: Vocabulary size ``V``.

    Raises:
        TypeError: If they are of another type, which would be rounded, or as uint8
            be taken for a mask.
        IndexError: If one is outside ``[0, V)``; told on a CPU only, and never while a
            model is compiled.
    """
    if tokens.dtype not in (torch.int64, torch.int32):
        raise TypeError(f"tokens must be int64 or int32, not {tokens.dtype}")
    if tokens.device.type != "cpu":
        return  # looking would make the GPU's queue wait
    if torch.compiler.is_compiling() or not tokens.numel():
        return
    least, most = (int(end) for end in tokens.aminmax())
    if least < 0 or most >= num_embeddings:
        raise IndexError(
            f"token {least if least < 0 else most} is outside the vocabulary of"
            f" {num_embeddings:,} words"
        )
