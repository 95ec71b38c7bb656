"""What the embedding of a classifier takes, for its record."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from alone_experiments.codes import code_file
from alone_experiments.codes.shapes import Shape
from alone_experiments.codes.sizes import size_of
from alone_experiments.reconstruction import saved
from alone_experiments.word_vectors.sources import is_torch_file
from alone_experiments.word_vectors.trained_models import read_embedding
from alone_experiments.word_vectors.word_vectors import WordVectors
from alone_fairseq.checkpoints import read
from alone_fairseq.embeddings import CompactEmbedding
from alone_fairseq.embeddings.codes import CodesEmbedding


def describe_size(args: Namespace, vectors: WordVectors) -> dict[str, Any]:
    """Name method and size of what the vectors come from.

    Codes count with ``M log2 K`` bits a word, as ``codes export`` packs them; all
    values with 4 bytes.

    Args:
        args: What names the vectors; see ``word_vectors.sources``.
        vectors: The vectors.

    Returns:
        Fields as of the records of translations.
    """
    words, dim = len(vectors.words), vectors.dim
    method, trained, stored = "lookup", words * dim, 4 * words * dim
    if code_file.is_packed(args.vectors):
        shape = code_file.read(args.vectors).shape
        method, trained, stored = _codes(shape, words, dim)
    elif is_torch_file(args.vectors):
        embedding, _ = read_embedding(args)
        if isinstance(embedding, CodesEmbedding):
            shape = Shape.of(embedding.config)
            method, trained, stored = _codes(shape, words, dim)
        elif isinstance(embedding, CompactEmbedding):
            size = embedding.footprint()
            method, trained = embedding.method, size.trained_values
            stored = size.stored_bytes
    return {
        "method": method,
        "footprint": {"trained_values": trained, "stored_bytes": stored},
        "lookup_values": words * dim,
    }


def describe_start(vectors: Path) -> dict[str, Any]:
    """Describe how vectors were made, where their file knows it.

    Args:
        vectors: File of vectors.

    Returns:
        Under ``start`` what :func:`saved.origin_of` tells of a reconstruction; nothing
        of other files.
    """
    if not is_torch_file(vectors) or "model" in read(vectors):
        return {}
    return {"start": saved.origin_of(vectors)}


def _codes(shape: Shape, words: int, dim: int) -> tuple[str, int, int]:
    size = size_of(shape, words, dim)
    return "codes", size.values, size.bytes
