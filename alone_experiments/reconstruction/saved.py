"""The file of a reconstruction: a fitted embedding and all that it came from."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from alone_experiments.lines import sha256
from alone_experiments.reconstruction.fit import build_rows
from alone_experiments.tensor_files import write_tensors
from alone_experiments.word_vectors.word_vectors import WordVectors
from alone_fairseq import saved_embedding
from alone_fairseq.checkpoints import read
from alone_fairseq.embeddings import CompactEmbedding


@dataclass(frozen=True)
class Reconstruction:
    """A fitted embedding.

    Attributes:
        embedding: The embedding, in evaluation mode, on the CPU.
        symbols: The word of each of its rows; ``V`` of them.
        specials: First rows that are a dictionary's special symbols, not words.
        fitted: Rows that were fitted, ascending.
        held_out: Rows whose vectors were kept back, ascending.
        facts: Settings, loss, checksums and origin, as plain data.
    """

    embedding: CompactEmbedding
    symbols: list[str]
    specials: int
    fitted: list[int]
    held_out: list[int]
    facts: dict[str, Any]

    def word_vectors(self, first: int = 0) -> WordVectors:
        """Build the vectors of all rows that had a given vector.

        Args:
            first: The first of these rows: :attr:`specials` for words alone.
        """
        rows = sorted([*self.fitted, *self.held_out])
        rows = [row for row in rows if row >= first]
        device = self.embedding.device()
        made = build_rows(self.embedding, torch.tensor(rows, device=device))
        return WordVectors(
            [self.symbols[row] for row in rows], made.float().cpu().numpy()
        )


def save(reconstruction: Reconstruction, path: Path) -> None:
    """Write a reconstruction; the file appears whole or not at all.

    Raises:
        Mistake: If it cannot be written.
    """
    write_tensors(
        path,
        {
            **saved_embedding.to_state(
                reconstruction.embedding, reconstruction.symbols
            ),
            "specials": reconstruction.specials,
            "fitted": torch.tensor(reconstruction.fitted),
            "held_out": torch.tensor(reconstruction.held_out, dtype=torch.int64),
            "facts": reconstruction.facts,
        },
    )


def load(path: Path) -> Reconstruction:
    """Read what :func:`save` wrote.

    Raises:
        AloneError: If it is no such file, or its embedding cannot be made again.
    """
    return from_state(read(path), path)


def from_state(state: dict[str, Any], path: Path) -> Reconstruction:
    """Build a reconstruction from the contents of its file; see :func:`load`."""
    saved = saved_embedding.from_state(state, path)
    return Reconstruction(
        saved.embedding,
        saved.symbols,
        state["specials"],
        state["fitted"].tolist(),
        state["held_out"].tolist(),
        state["facts"],
    )


def origin_of(path: Path) -> dict[str, Any]:
    """Tell where a reconstruction comes from, for records of what is made with it.

    Args:
        path: Its file.

    Returns:
        The file's SHA-256; command, commit and settings of the fit; its losses.

    Raises:
        AloneError: If it cannot be read.
    """
    facts = read(path).get("facts", {})
    kept = ("source", "command", "commit", "dirty", "settings", "loss", "losses")
    found = {name: facts[name] for name in kept if name in facts}
    return {"sha256": sha256(path), **found}


def checksum(lines: list[str]) -> str:
    """Compute the SHA-256 of words, one a line."""
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
