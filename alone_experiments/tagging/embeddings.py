"""The word vectors of a tagger: from spellings, and from a table of words."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

import torch

from alone_experiments.mistakes import Mistake
from alone_experiments.reconstruction import saved
from alone_experiments.reconstruction.fit import build_seeded, given_options
from alone_experiments.tagging.tagger import UNKNOWN
from alone_experiments.word_vectors.word_vectors import WordVectors
from alone_fairseq.embeddings import (
    CompactEmbedding,
    TableSize,
    refuse_options_of_others,
)
from alone_fairseq.embeddings.options import flag_of

SPELLED = "characters"
"""The method that reads spellings."""

NO_TABLE = "none"

DIM = 100
"""Values of a vector; the paper's."""


def make_spelled(
    args: Namespace, words: Sequence[str], dim: int, seed: int
) -> CompactEmbedding:
    """Make the vectors from spellings: new ones, or a student's.

    Args:
        args: ``student`` and the options of methods.
        words: The training words, whose characters new ones know.
        dim: Size of new ones.
        seed: Of the initial values of new ones.

    Raises:
        Mistake: If the student is of a method that cannot read words, or options are
            given that it would not heed.
    """
    if args.student is None:
        size = TableSize(len(words), dim, None, words)
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
    args: Namespace, words: Sequence[str], dim: int, seed: int
) -> CompactEmbedding | None:
    """Make the table of words, if there shall be one.

    Args:
        args: ``embedding_method`` and the options of methods.
        words: The words of its rows, after the one for unknown words.
        dim: Size of its vectors.
        seed: Of its initial values.
    """
    if args.embedding_method == NO_TABLE:
        return None
    size = TableSize(len(words) + 1, dim, None, ["<unk>", *words])
    method = args.embedding_method
    return build_seeded(method, _options(args, method), size, seed)


def take_given(
    table: CompactEmbedding, words: Sequence[str], given: WordVectors
) -> None:
    """Bring a table as close to given vectors as it can come.

    Args:
        table: What :func:`make_table` made; words without a vector stay as they are.
        words: As there.
        given: The vectors.
    """
    start = table.table().detach().clone()
    for row, word in enumerate(words, UNKNOWN + 1):
        found = given.find(word)
        if found is not None:
            start[row] = torch.from_numpy(given.vectors[found])
    table.take_vectors(start)


def refuse_unused(args: Namespace) -> None:
    """Refuse options of methods that the tagger does not have.

    Raises:
        AloneError: In one line that names the flag.
    """
    methods = dict.fromkeys([args.embedding_method, SPELLED])
    methods.pop(NO_TABLE, None)
    refuse_options_of_others(args, methods)


def _options(args: Namespace, method: str) -> Namespace:
    return Namespace(**given_options(args, method))
