"""The word vectors of a tagger: from spellings, and from a table of words."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

import torch

from alone_experiments.mistakes import Mistake
from alone_experiments.reconstruction import saved
from alone_experiments.reconstruction.fit import build_seeded, given_options
from alone_experiments.word_vectors.word_vectors import WordVectors
from alone_fairseq.embeddings import CompactEmbedding, TableSize
from alone_fairseq.embeddings.options import flag_of

SPELLED = "characters"
"""The method that reads spellings."""

NO_TABLE = "none"


def make_spelled(args: Namespace, words: Sequence[str], seed: int) -> CompactEmbedding:
    """Make the vectors from spellings: new ones, or a student's.

    Args:
        args: ``student``, ``dim`` and the options of methods.
        words: The training words, whose characters new ones know.
        seed: Of the initial values of new ones.

    Raises:
        Mistake: If the student is of a method that cannot read words, or options are
            given that it would not heed.
    """
    if args.student is None:
        size = TableSize(len(words), args.dim, None, words)
        return build_seeded(SPELLED, _options(args, SPELLED), size, seed)
    options = given_options(args, SPELLED).items()
    given = [flag_of(name) for name, value in options if value is not False]
    if given and args.embedding_method != SPELLED:
        raise Mistake(f"{given[0]}: --student brings its own network: remove one")
    found = saved.load(args.student).embedding
    if found.method != SPELLED:
        raise Mistake(
            f"--student {args.student}: is of the method {found.method}, which cannot"
            f" read words: reconstruct with --embedding-method {SPELLED}"
        )
    return found


def make_table(
    args: Namespace, words: Sequence[str], given: WordVectors | None, seed: int
) -> CompactEmbedding | None:
    """Make the table of words, if there shall be one.

    Args:
        args: ``embedding_method``, ``dim`` and the options of methods.
        words: The words of its rows, after the one for unknown words.
        given: Vectors that it is to be as close to as it can; words without one stay as
            they are drawn.
        seed: Of its initial values.
    """
    if args.embedding_method == NO_TABLE:
        return None
    symbols = ["<unk>", *words]
    size = TableSize(len(symbols), given.dim if given else args.dim, None, symbols)
    method = args.embedding_method
    embedding = build_seeded(method, _options(args, method), size, seed)
    if given is not None:
        start = embedding.table().detach().clone()
        for row, word in enumerate(symbols):
            found = given.find(word)
            if found is not None:
                start[row] = torch.from_numpy(given.vectors[found])
        embedding.take_vectors(start)
    return embedding


def _options(args: Namespace, method: str) -> Namespace:
    return Namespace(**given_options(args, method))
