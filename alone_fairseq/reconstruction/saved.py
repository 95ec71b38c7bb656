"""The file of a reconstruction: a fitted embedding and all that it came from."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import pickle
import platform
import subprocess
from argparse import Namespace
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from ..embeddings import CONFIGS, EMBEDDINGS, CompactEmbedding, TableSize, build
from ..errors import AloneError, explain
from .fit import build_rows
from .word_vectors import WordVectors

KIND = "alone_fairseq reconstruction 1"
"""Marks the files; the number changes when older ones can no longer be read."""


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

    def word_vectors(self) -> WordVectors:
        """Build the vectors of all rows that had a given vector."""
        rows = sorted([*self.fitted, *self.held_out])
        device = self.embedding.device()
        made = build_rows(self.embedding, torch.tensor(rows, device=device))
        return WordVectors(
            [self.symbols[row] for row in rows], made.float().cpu().numpy()
        )


def save(reconstruction: Reconstruction, path: Path) -> None:
    """Write a reconstruction; the file appears whole or not at all.

    Raises:
        AloneError: If it cannot be written.
    """
    embedding = reconstruction.embedding
    write(
        {
            "kind": KIND,
            **describe_embedding(embedding),
            "embedding": {k: v.cpu() for k, v in embedding.state_dict().items()},
            "symbols": reconstruction.symbols,
            "specials": reconstruction.specials,
            "fitted": torch.tensor(reconstruction.fitted),
            "held_out": torch.tensor(reconstruction.held_out, dtype=torch.int64),
            "facts": reconstruction.facts,
        },
        path,
    )


def describe_embedding(embedding: CompactEmbedding) -> dict[str, Any]:
    """Name all that :func:`build` needs to make an embedding again."""
    config = embedding.config
    method = next(m for m, made in EMBEDDINGS.items() if type(embedding) is made)
    fields = dataclasses.fields(CONFIGS[method])
    return {
        "method": method,
        "options": {
            field.name: getattr(config, field.name)
            for field in fields
            if not field.name.startswith("_")
        },
        "num_embeddings": embedding.num_embeddings,
        "embedding_dim": embedding.embedding_dim,
        "padding_idx": embedding.padding_idx,
    }


def write(state: dict[str, Any], path: Path) -> None:
    """Write plain data and tensors so that the file appears whole or not at all.

    Raises:
        AloneError: If it cannot be written.
    """
    partial = path.with_name(f"{path.name}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            torch.save(state, file)
        os.replace(partial, path)
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise AloneError(f"cannot write {path}: {reason}") from error


def read(path: Path) -> dict[str, Any]:
    """Read a file of plain data and tensors without executing code from it.

    Raises:
        AloneError: If it is missing, damaged, or holds more than data.
    """
    try:
        state: Any = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise AloneError(f"{path}: no such file") from None
    except (pickle.UnpicklingError, RuntimeError, EOFError, OSError) as error:
        refused = explain(error) if "GLOBAL" in str(error) else None
        reason = refused or "it is damaged, unfinished or of another kind: make it anew"
        raise AloneError(f"{path}: {reason}") from None
    return state if isinstance(state, dict) else {}


def load(path: Path) -> Reconstruction:
    """Read what :func:`save` wrote.

    Raises:
        AloneError: If it is no such file, or its embedding cannot be made again.
    """
    return from_state(read(path), path)


def from_state(state: dict[str, Any], path: Path) -> Reconstruction:
    """Build a reconstruction from the contents of its file; see :func:`load`."""
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
    return Reconstruction(
        embedding.eval(),
        state["symbols"],
        state["specials"],
        state["fitted"].tolist(),
        state["held_out"].tolist(),
        state["facts"],
    )


def origin(command: list[str]) -> dict[str, Any]:
    """Tell what makes a number: command, code, versions and time.

    Args:
        command: The command, one argument an element.

    Returns:
        Plain data; ``commit`` is ``unknown`` where the package is no checkout.
    """
    from .. import __version__

    code = Path(__file__).parent
    known = bool(_git(code, "ls-files", Path(__file__).name))
    return {
        "command": command,
        "commit": _git(code, "rev-parse", "--verify", "HEAD") if known else "unknown",
        "dirty": not known or bool(_git(code, "status", "--porcelain")),
        "versions": {
            "python": platform.python_version(),
            "torch": str(torch.__version__),
            "numpy": version("numpy"),
            "scipy": version("scipy"),
            "alone_fairseq": __version__,
        },
        "threads": torch.get_num_threads(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _git(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(
            ["git", *words], cwd=folder, capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip()


def checksum(lines: list[str]) -> str:
    """Compute the SHA-256 of words, one a line."""
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
