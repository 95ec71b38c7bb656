"""The ``neighbours`` command: does the embedding space keep its structure?"""

from __future__ import annotations

import argparse
from collections.abc import Collection
from pathlib import Path

import torch
import torch.nn.functional as F
from fairseq.data import Dictionary
from torch import Tensor

from alone_experiments.arguments import whole_number
from alone_experiments.mistakes import Mistake, say
from alone_experiments.word_vectors.spellings import other_case, spell
from alone_experiments.word_vectors.trained_models import load_model, side_of
from alone_fairseq.embeddings import CompactEmbedding


def nearest(
    table: Tensor, index: int, count: int, skip: int
) -> list[tuple[int, float]]:
    """Find the words whose vectors point the same way.

    Args:
        table: Word vectors, ``(V, D)``.
        index: The word to start from.
        count: Number of neighbours, at least 1.
        skip: First rows to leave out: the special symbols.

    Returns:
        Pairs of index and cosine similarity, the closest first, without the word
        itself.
    """
    directions = F.normalize(table, dim=1)
    cosines = directions @ directions[index]
    cosines[:skip] = -2.0
    cosines[index] = -2.0
    best = cosines.topk(max(1, min(count, len(table) - skip - 1)))
    return list(zip(best.indices.tolist(), best.values.tolist(), strict=True))


def load_embedding(
    checkpoint: Path, data: Path, side: str
) -> tuple[CompactEmbedding, Dictionary]:
    """Load the embedding of one side of a trained model.

    Args:
        checkpoint: Checkpoint of a ``transformer_compact`` model.
        data: Folder with the dictionaries that ``fairseq-preprocess`` wrote.
        side: ``source`` or ``target``.

    Returns:
        The embedding in evaluation mode, and the dictionary of its words.

    Raises:
        Mistake: If checkpoint, dictionary and model do not fit.
    """
    embedding, dictionary = side_of(*load_model(checkpoint, data), side)
    if not isinstance(embedding, CompactEmbedding):
        raise Mistake(f"{checkpoint}: was not made with transformer_compact")
    return embedding.eval(), dictionary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("checkpoint", type=Path, help="a trained checkpoint")
    parser.add_argument(
        "words",
        nargs="+",
        help="words; one that the dictionary has in pieces is told of",
    )
    parser.add_argument(
        "--data",
        type=Path,
        required=True,
        metavar="DIR",
        help="folder with the dictionaries of the training data",
    )
    parser.add_argument(
        "--side",
        choices=["source", "target"],
        default="source",
        help="whose embedding and dictionary [%(default)s]",
    )
    parser.add_argument(
        "--count",
        type=whole_number(1),
        default=10,
        metavar="N",
        help="neighbours [%(default)s]",
    )


def run(args: argparse.Namespace) -> None:
    """Print each word's nearest neighbours with their cosine similarities."""
    embedding, dictionary = load_embedding(args.checkpoint, args.data, args.side)
    units = {word: spell(word, dictionary.indices) for word in args.words}
    for word, made_of in units.items():
        if len(made_of) != 1:
            say(f"{word}: {explain_unknown(word, made_of, dictionary.indices)}")
    if all(len(made_of) != 1 for made_of in units.values()):
        raise Mistake(
            f"none of these words is an entry of the {args.side} dictionary of"
            f" {args.data}: give entries, such as the pieces of a word"
        )
    with torch.no_grad():
        table = embedding.table().float()
    for word in args.words:
        if len(units[word]) != 1:
            continue
        (entry,) = units[word]
        found = nearest(table, dictionary.index(entry), args.count, dictionary.nspecial)
        listed = "  ".join(f"{dictionary[i]} {cosine:.3f}" for i, cosine in found)
        print(f"{word if entry == word else f'{word} ({entry})'}: {listed}")


def explain_unknown(word: str, units: list[str], known: Collection[str]) -> str:
    """Say how a dictionary writes a word that is none of its entries.

    Args:
        word: The word.
        units: The entries that make it up, none or several.
        known: All entries.
    """
    if units:
        return f"is no entry; the dictionary writes it as {' '.join(units)}"
    other = other_case(word, known)
    if other:
        return f"is no entry, nor are pieces of it; there is {' '.join(other)}"
    return "is no entry, and cannot be made of entries"
