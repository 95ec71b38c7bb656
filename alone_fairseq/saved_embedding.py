"""An embedding in a file of its own, such as ``alone-fairseq reconstruct`` makes."""

from __future__ import annotations

import dataclasses
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .checkpoints import read
from .embeddings import CompactEmbedding, TableSize, build
from .errors import AloneError

KIND = "alone_fairseq reconstruction 1"
"""Marks the files; the number changes when older ones can no longer be read."""

PACKED_CODES = b"alncodes"
"""How another kind of file begins that holds an embedding (docs/codes.md)."""


@dataclass(frozen=True)
class SavedEmbedding:
    """What is in such a file, as far as a model needs it.

    Attributes:
        embedding: The embedding, in evaluation mode, on the CPU.
        symbols: The word of each of its rows; ``V`` of them.
    """

    embedding: CompactEmbedding
    symbols: list[str]


def describe(embedding: CompactEmbedding) -> dict[str, Any]:
    """Name all that :func:`build` needs to make an embedding again."""
    return {
        "method": embedding.method,
        "options": dataclasses.asdict(embedding.config),
        "num_embeddings": embedding.num_embeddings,
        "embedding_dim": embedding.embedding_dim,
        "padding_idx": embedding.padding_idx,
    }


def to_state(embedding: CompactEmbedding, symbols: list[str]) -> dict[str, Any]:
    """Give the contents of a file: plain data and tensors.

    Args:
        embedding: The embedding.
        symbols: The word of each of its rows; ``V`` of them.
    """
    return {
        "kind": KIND,
        **describe(embedding),
        "embedding": {k: v.cpu() for k, v in embedding.state_dict().items()},
        "symbols": symbols,
    }


def from_state(state: dict[str, Any], path: Path) -> SavedEmbedding:
    """Build an embedding from the contents of its file.

    Args:
        state: What :func:`to_state` gave.
        path: Where it comes from, for errors.

    Raises:
        AloneError: If it is of another kind, or the embedding cannot be made again.
    """
    if state.get("kind") != KIND:
        raise AloneError(
            f"{path}: is no reconstruction; make one with alone-fairseq reconstruct"
        )
    size = TableSize(*(state[field] for field in TableSize._fields))
    try:
        embedding = build(state["method"], Namespace(**state["options"]), size)
        embedding.load_state_dict(state["embedding"])
    except (AloneError, RuntimeError) as error:
        raise AloneError(f"{path}: {str(error).splitlines()[0]}") from error
    return SavedEmbedding(embedding.eval(), state["symbols"])


def load(path: Path) -> SavedEmbedding:
    """Read the file of an embedding.

    Raises:
        AloneError: If it cannot be read, or as in :func:`from_state`.
    """
    if path.is_file():
        with path.open("rb") as file:
            packed = file.read(len(PACKED_CODES)) == PACKED_CODES
        if packed:
            raise AloneError(
                f"{path}: holds packed codes; make an embedding of them with"
                " alone-fairseq codes unpack --embedding-out"
            )
    return from_state(read(path), path)
