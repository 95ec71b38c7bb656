"""Where codes come from: a packed file, what ``codes learn`` wrote, a checkpoint."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from alone_experiments.codes import code_file
from alone_experiments.codes.code_file import PackedCodes
from alone_experiments.codes.shapes import Shape
from alone_experiments.mistakes import Mistake
from alone_experiments.word_vectors.sources import (
    add_checkpoint_arguments,
    is_torch_file,
    refuse_checkpoint_arguments,
)


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name codes."""
    parser.add_argument(
        "codes",
        type=Path,
        help="what codes learn or codes export wrote, or a checkpoint with --data",
    )
    add_checkpoint_arguments(parser)


def read_source(args: argparse.Namespace) -> PackedCodes:
    """Read the codes that :func:`add_source_arguments` let the user name.

    Raises:
        Mistake: If they cannot be had.
    """
    refuse_checkpoint_arguments(args, [args.codes])
    if not is_torch_file(args.codes):
        return code_file.read(args.codes)
    # Only here: packed files need neither torch nor fairseq.
    from alone_experiments.reconstruction import saved
    from alone_fairseq.checkpoints import read

    state = read(args.codes)
    if "model" not in state:
        found = saved.from_state(state, args.codes)
        packed = _of(found.embedding, found.symbols, found.specials, args.codes)
        # The codes of a dictionary's words without a given vector were not learned.
        learned = {*range(found.specials), *found.fitted, *found.held_out}
        return packed.only(sorted(learned))
    from alone_experiments.word_vectors.trained_models import load_model, side_of

    embedding, dictionary = side_of(*load_model(args.codes, args.data), args.side)
    symbols = dictionary.symbols
    return _of(embedding, symbols, dictionary.nspecial, args.codes)


def _of(embedding: object, words: list[str], specials: int, path: Path) -> PackedCodes:
    from alone_fairseq.embeddings.codes import CodesEmbedding

    if not isinstance(embedding, CodesEmbedding):
        raise Mistake(
            f"{path}: its embedding has no codes; learn some with alone-fairseq codes"
            " learn"
        )
    return PackedCodes(
        Shape.of(embedding.config),
        words,
        embedding.codes().cpu().numpy().astype(np.uint16),
        embedding.added().detach().float().cpu().numpy(),
        specials,
        embedding.padding_idx,
    )
