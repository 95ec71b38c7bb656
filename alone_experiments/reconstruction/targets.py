"""What is to be fitted: rows of an embedding and the vectors they should give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.random import RandomState
from torch import Tensor

from alone_experiments.mistakes import Mistake
from alone_experiments.reconstruction import saved
from alone_experiments.word_vectors.word_vectors import Floats, WordVectors
from alone_fairseq.embeddings import CompactEmbedding, TableSize

if TYPE_CHECKING:  # word vectors are fitted without fairseq
    from fairseq.data import Dictionary

# Batches take streams [seed, epoch]; no fit has so many epochs.
_HELD_OUT_STREAM = 2**32 - 1


@dataclass(frozen=True)
class Targets:
    """Rows of an embedding and their given vectors.

    Attributes:
        symbols: The word of each row of the embedding; ``V`` of them.
        specials: First rows that are special symbols.
        padding_idx: Row of the padding symbol; ``None`` where there is none.
        rows: Rows that have a given vector, ascending, ``(N,)``.
        vectors: These vectors, ``(N, D)``.
        held_out: Which of them are not to be fitted, bool, ``(N,)``.
        scale: By what the source's vectors were multiplied.
    """

    symbols: list[str]
    specials: int
    padding_idx: int | None
    rows: Tensor
    vectors: Floats
    held_out: Tensor
    scale: float = 1.0

    def size(self) -> TableSize:
        """Give the size of the embedding, with its symbols."""
        dim = self.vectors.shape[1]
        return TableSize(len(self.symbols), dim, self.padding_idx, self.symbols)

    def fitted(self) -> tuple[Tensor, Tensor]:
        """Return rows and vectors that are to be fitted, ``(n,)`` and ``(n, D)``."""
        kept = ~self.held_out
        return self.rows[kept], torch.from_numpy(self.vectors)[kept]

    def given(self) -> WordVectors:
        """Return the words that have a given vector, with that."""
        return WordVectors([self.symbols[row] for row in self.rows], self.vectors)

    def reconstruction(
        self, embedding: CompactEmbedding, facts: dict[str, Any]
    ) -> saved.Reconstruction:
        """Put a fitted embedding together with its words and what it came from.

        Args:
            embedding: It has a row for each symbol.
            facts: Settings, losses and origin, as plain data.
        """
        fitted, held_out = self.rows[~self.held_out], self.rows[self.held_out]
        return saved.Reconstruction(
            *(embedding, self.symbols, self.specials),
            *(fitted.tolist(), held_out.tolist(), facts),
        )

    def describe(self) -> dict[str, object]:
        """Name what a fit depends on, as plain data."""
        return {
            "words": len(self.rows),
            "held_out": int(self.held_out.sum()),
            "scale": self.scale,
            "rows_sha256": saved.checksum([str(int(row)) for row in self.rows]),
            "symbols_sha256": saved.checksum(self.symbols),
            **{f"{name}_sha256": s for name, s in self.given().checksums().items()},
        }


def from_words(vectors: WordVectors) -> Targets:
    """Fit one row a word, without special symbols: the paper's experiment."""
    return _targets(vectors.words, 0, None, list(range(len(vectors.words))), vectors)


def from_dictionary(vectors: WordVectors, dictionary: Dictionary) -> Targets:
    """Fit the rows of a model's dictionary whose symbols have a vector.

    Args:
        vectors: Words and vectors, all of them in the dictionary.
        dictionary: The model's dictionary; its special symbols are not fitted.
    """
    rows = sorted(dictionary.indices[word] for word in vectors.words)
    symbols = dictionary.symbols
    ordered = vectors.rows([vectors.exact[symbols[row]] for row in rows])
    return _targets(symbols, dictionary.nspecial, dictionary.pad(), rows, ordered)


def from_table(table: Tensor, dictionary: Dictionary) -> Targets:
    """Fit all rows of a trained model's table, ``(V, D)``."""
    symbols = dictionary.symbols
    vectors = WordVectors(symbols, table.numpy())
    rows = list(range(len(symbols)))
    return _targets(symbols, dictionary.nspecial, dictionary.pad(), rows, vectors)


def _targets(
    symbols: list[str],
    specials: int,
    pad: int | None,
    rows: list[int],
    given: WordVectors,
) -> Targets:
    held_out = torch.zeros(len(rows), dtype=torch.bool)
    return Targets(symbols, specials, pad, torch.tensor(rows), given.vectors, held_out)


def hold_out(targets: Targets, share: float, seed: int) -> Targets:
    """Keep back a random share of the vectors.

    Args:
        targets: All targets.
        share: Share to keep back, in [0, 1).
        seed: Seed of the choice.

    Raises:
        Mistake: If the share is out of range.
    """
    if not 0 <= share < 1:
        raise Mistake(f"--hold-out must lie in [0, 1), it is {share}")
    count = len(targets.rows)
    order = RandomState([seed, _HELD_OUT_STREAM]).permutation(count)
    held_out = torch.zeros(count, dtype=torch.bool)
    held_out[torch.from_numpy(order[: int(share * count)])] = True
    fields = {**vars(targets), "held_out": held_out}
    return Targets(**fields)


def scale_to(targets: Targets, deviation: float) -> Targets:
    """Multiply all vectors by one number, which leaves their cosines as they are.

    Args:
        targets: All targets.
        deviation: Standard deviation that their entries shall have; 0 changes nothing.

    Raises:
        Mistake: If the deviation is negative, or the vectors are all zeros.
    """
    if deviation == 0:
        return targets
    now = float(targets.vectors.std(dtype=np.float64))
    if not (0 < deviation < float("inf") and now > 0):
        raise Mistake(
            f"--std {deviation}: cannot give that deviation to vectors whose entries"
            f" have {now:g}"
        )
    scale = deviation / now
    vectors = (targets.vectors * np.float32(scale)).astype(np.float32)
    return Targets(**{**vars(targets), "vectors": vectors, "scale": scale})
