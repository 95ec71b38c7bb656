"""Embeddings of trained models and of reconstructions, as tables and word vectors."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import torch
from fairseq import checkpoint_utils
from fairseq.data import Dictionary
from torch import Tensor, nn

from alone_experiments.mistakes import Mistake
from alone_experiments.reconstruction import saved
from alone_experiments.word_vectors.word_vectors import WordVectors
from alone_fairseq.checkpoints import read
from alone_fairseq.embeddings import AloneEmbedding, CompactEmbedding


def load_model(checkpoint: Path, data: Path | None) -> tuple[Any, Any]:
    """Load a translation model of fairseq's and its task; see :func:`load_all`."""
    model, _, task = load_all(checkpoint, data)
    return model, task


def load_all(checkpoint: Path, data: Path | None) -> tuple[Any, Any, Any]:
    """Load a translation model of fairseq's, its options and its task.

    Args:
        checkpoint: Checkpoint of a Transformer, ours or fairseq's own.
        data: Folder with the dictionaries that ``fairseq-preprocess`` wrote.

    Raises:
        Mistake: If the folder is not given, does not exist or has no dictionary.
    """
    if data is None or not data.is_dir():
        given = f"{data}: no such folder;" if data else "is missing:"
        raise Mistake(
            f"--data {given} a checkpoint needs the folder of the dictionaries that it"
            " was trained with"
        )
    if not any(data.glob("dict*.txt")):  # a language model's is dict.txt
        raise Mistake(
            f"--data {data}: no dict.<language>.txt in it: give the folder that"
            " fairseq-preprocess wrote"
        )
    models, cfg, task = checkpoint_utils.load_model_ensemble_and_task(
        [str(checkpoint)], arg_overrides={"data": str(data)}
    )
    return models[0], cfg, task


def side_of(model: Any, task: Any, side: str) -> tuple[nn.Module, Dictionary]:
    """Return the embedding and the dictionary of ``source`` or ``target``.

    A language model has one embedding, whatever the side.
    """
    if side == "source" and hasattr(model, "encoder"):
        return model.encoder.embed_tokens, task.source_dictionary
    return model.decoder.embed_tokens, task.target_dictionary


def table_of(embedding: nn.Module) -> Tensor:
    """Build or return the whole table of an embedding, ours or fairseq's own.

    Returns:
        Table ``(V, D)``, float32, without gradients.

    Raises:
        Mistake: If the module is neither.
    """
    with torch.no_grad():
        if isinstance(embedding, CompactEmbedding):
            return embedding.eval().table().detach().float()
        if isinstance(embedding, nn.Embedding):
            return embedding.weight.detach().float()
    raise Mistake(f"no table can be made of a {type(embedding).__name__}")


def read_embedding(args: argparse.Namespace) -> tuple[nn.Module, WordVectors]:
    """Read the embedding of a reconstruction, or of a checkpoint with ``--data``.

    Returns:
        The embedding, and the vectors of its words without special symbols.

    Raises:
        Mistake: If they cannot be had.
    """
    state = read(args.vectors)
    if "model" not in state:
        made = saved.from_state(state, args.vectors)
        return made.embedding, made.word_vectors(made.specials)
    model, task = load_model(args.vectors, args.data)
    embedding, dictionary = side_of(model, task, args.side)
    table = table_of(embedding).numpy()[dictionary.nspecial :]
    words = dictionary.symbols[dictionary.nspecial :]
    return embedding, WordVectors(words, table)


def read_filters(args: argparse.Namespace) -> WordVectors | None:
    """Read the random filters of an ALONE embedding as if they were its vectors.

    Args:
        args: As :func:`read_embedding` takes them.

    Returns:
        Words and filters; ``None`` for another method, and for a reconstruction.
    """
    if "model" not in read(args.vectors):
        return None
    embedding, dictionary = side_of(*load_model(args.vectors, args.data), args.side)
    if not isinstance(embedding, AloneEmbedding):
        return None
    filters = embedding.filters(torch.arange(dictionary.nspecial, len(dictionary)))
    words = dictionary.symbols[dictionary.nspecial :]
    return WordVectors(words, filters.numpy())
