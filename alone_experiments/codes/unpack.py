"""The ``codes unpack`` command: a packed file as word vectors, or inside a model."""

from __future__ import annotations

import argparse
from pathlib import Path

from alone_experiments.codes import code_file
from alone_experiments.codes.code_file import PackedCodes
from alone_experiments.files import refuse_to_replace
from alone_experiments.mistakes import Mistake
from alone_experiments.word_vectors.sources import (
    add_checkpoint_arguments,
    refuse_checkpoint_arguments,
)
from alone_experiments.word_vectors.vectors import write_word2vec


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add = parser.add_argument
    add("codes", type=Path, help="what codes export wrote")
    add(
        "--vectors-out",
        type=Path,
        metavar="FILE",
        help="write the words' vectors here, in word2vec's text format",
    )
    add(
        "--embedding-out",
        type=Path,
        metavar="FILE",
        help="write what fairseq-train --embedding-init reads",
    )
    inside = parser.add_argument_group("inside a model")
    add = inside.add_argument
    add(
        "--checkpoint",
        type=Path,
        metavar="FILE",
        help="checkpoint of a model with codes of this size and dictionary",
    )
    add_checkpoint_arguments(inside)
    add(
        "--checkpoint-out",
        type=Path,
        metavar="FILE",
        help="write the checkpoint with these codes and codewords here",
    )


def run(args: argparse.Namespace) -> None:
    """Write what the command line asks for."""
    if not (args.vectors_out or args.embedding_out or args.checkpoint_out):
        raise Mistake("give --vectors-out, --embedding-out or --checkpoint-out")
    if bool(args.checkpoint) != bool(args.checkpoint_out):
        raise Mistake("--checkpoint and --checkpoint-out go together")
    refuse_checkpoint_arguments(args, [args.checkpoint])
    outputs = (args.vectors_out, args.embedding_out, args.checkpoint_out)
    refuse_to_replace((args.codes, args.checkpoint), outputs)
    packed = code_file.read(args.codes)
    # First what may be refused, so that nothing is written then.
    if args.checkpoint_out:
        from alone_experiments.codes.embedding import put_into_checkpoint

        put_into_checkpoint(packed, args)
    if args.vectors_out:
        write_word2vec(packed.word_vectors(), args.vectors_out)
    if args.embedding_out:
        _write_embedding(packed, args.embedding_out)


def _write_embedding(packed: PackedCodes, path: Path) -> None:
    from alone_experiments.codes.embedding import embedding_of
    from alone_experiments.reconstruction.saved import Reconstruction, save

    rows = list(range(packed.specials, len(packed.words)))
    embedding = embedding_of(packed)
    facts = {"source": path.name}
    made = Reconstruction(embedding, packed.words, packed.specials, rows, [], facts)
    save(made, path)
