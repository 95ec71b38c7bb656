"""Where word vectors come from: a file of vectors, a reconstruction, a checkpoint."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import torch
from fairseq import checkpoint_utils
from fairseq.data import Dictionary
from torch import Tensor, nn

from ..embeddings import CompactEmbedding
from ..errors import AloneError
from . import saved
from .vectors import FORMATS, VectorFile
from .word_vectors import WordVectors


def is_torch_file(path: Path) -> bool:
    """Whether a file is one of torch's: an archive with a pickle in it."""
    try:
        with path.open("rb") as file:
            start = file.read(256)
    except OSError as error:
        raise AloneError(f"{path}: cannot be read: {error.strerror}") from None
    return start.startswith(b"PK\x03\x04") and b"/data.pkl" in start


def load_model(checkpoint: Path, data: Path | None) -> tuple[Any, Any]:
    """Load a translation model of fairseq's and its task.

    Args:
        checkpoint: Checkpoint of a Transformer, ours or fairseq's own.
        data: Folder with the dictionaries that ``fairseq-preprocess`` wrote.

    Raises:
        AloneError: If the folder is not given, does not exist or has no dictionary.
    """
    if data is None or not data.is_dir():
        given = f"{data}: no such folder;" if data else "is missing:"
        raise AloneError(
            f"--data {given} a checkpoint needs the folder of the dictionaries that it"
            " was trained with"
        )
    if not any(data.glob("dict.*.txt")):
        raise AloneError(
            f"--data {data}: no dict.<language>.txt in it: give the folder that"
            " fairseq-preprocess wrote"
        )
    models, _, task = checkpoint_utils.load_model_ensemble_and_task(
        [str(checkpoint)], arg_overrides={"data": str(data)}
    )
    return models[0], task


def side_of(model: Any, task: Any, side: str) -> tuple[nn.Module, Dictionary]:
    """Return the embedding and the dictionary of ``source`` or ``target``."""
    if side == "source":
        return model.encoder.embed_tokens, task.source_dictionary
    return model.decoder.embed_tokens, task.target_dictionary


def table_of(embedding: nn.Module) -> Tensor:
    """Build or return the whole table of an embedding, ours or fairseq's own.

    Returns:
        Table ``(V, D)``, float32, without gradients.

    Raises:
        AloneError: If the module is neither.
    """
    with torch.no_grad():
        if isinstance(embedding, CompactEmbedding):
            return embedding.eval().table().detach().float()
        if isinstance(embedding, nn.Embedding):
            return embedding.weight.detach().float()
    raise AloneError(f"no table can be made of a {type(embedding).__name__}")


def dictionary_symbols(dictionary: Dictionary) -> list[str]:
    """List the symbols of a dictionary by index."""
    return [dictionary[index] for index in range(len(dictionary))]


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name vectors to be scored."""
    parser.add_argument(
        "vectors",
        type=Path,
        help="word vectors (GloVe, word2vec text or binary, fastText .vec, plain or"
        " gzipped), a reconstruction, or a checkpoint with --data",
    )
    parser.add_argument(
        "--format",
        choices=("auto", *FORMATS),
        default="auto",
        help="of a file of word vectors; fastText's .vec is word2vec [%(default)s]",
    )
    parser.add_argument(
        "--words", type=int, metavar="N", help="only the first N words [all]"
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="with a checkpoint: folder with the dictionaries of its training",
    )
    parser.add_argument(
        "--side",
        choices=("source", "target"),
        default="source",
        help="with a checkpoint: whose embedding [%(default)s]",
    )


def read_source(args: argparse.Namespace) -> WordVectors:
    """Read the vectors that :func:`add_source_arguments` let the user name.

    Raises:
        AloneError: If they cannot be had.
    """
    if args.words is not None and args.words < 1:
        raise AloneError(f"--words must be at least 1, not {args.words}")
    if not is_torch_file(args.vectors):
        return VectorFile(args.vectors, args.format).read(args.words)
    vectors = _read_torch_file(args)
    return vectors.rows(list(range(len(vectors.words)))[: args.words])


def _read_torch_file(args: argparse.Namespace) -> WordVectors:
    state = saved.read(args.vectors)
    if "model" not in state:
        return saved.from_state(state, args.vectors).word_vectors()
    model, task = load_model(args.vectors, args.data)
    embedding, dictionary = side_of(model, task, args.side)
    table = table_of(embedding).numpy()[dictionary.nspecial :]
    return WordVectors(dictionary_symbols(dictionary)[dictionary.nspecial :], table)
