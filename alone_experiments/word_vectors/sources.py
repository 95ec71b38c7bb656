"""Where word vectors come from: a file of vectors, a reconstruction, a checkpoint."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from alone_experiments.arguments import whole_number
from alone_experiments.codes import code_file
from alone_experiments.mistakes import Mistake
from alone_experiments.word_vectors.spelled_words import add_spelled_words
from alone_experiments.word_vectors.vectors import FORMATS, VectorFile, is_torch
from alone_experiments.word_vectors.word_vectors import WordVectors


def is_torch_file(path: Path) -> bool:
    """Whether a file is one of torch's: an archive with a pickle in it."""
    try:
        with path.open("rb") as file:
            start = file.read(256)
    except OSError as error:
        raise Mistake(f"{path}: cannot be read: {error.strerror}") from None
    return is_torch(start)


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name vectors to be scored."""
    parser.add_argument(
        "vectors",
        type=Path,
        help="word vectors (GloVe, word2vec text or binary, fastText .vec, plain or"
        " gzipped), a reconstruction, what codes export wrote, or a checkpoint with"
        " --data",
    )
    parser.add_argument(
        "--format",
        choices=("auto", *FORMATS),
        default="auto",
        help="of a file of word vectors; fastText's .vec is word2vec [%(default)s]",
    )
    parser.add_argument(
        "--words",
        type=whole_number(1),
        metavar="N",
        help="only the first N words [all]",
    )
    add_checkpoint_arguments(parser)


def add_checkpoint_arguments(parser: argparse._ActionsContainer) -> None:
    """Add the arguments that say which embedding of a checkpoint is meant.

    Args:
        parser: A parser, or a group of one.
    """
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


def refuse_checkpoint_arguments(
    args: argparse.Namespace, paths: Iterable[Path | None]
) -> None:
    """Refuse what :func:`add_checkpoint_arguments` adds where there is no checkpoint.

    Args:
        args: The arguments.
        paths: Files that may be one; ``None`` for what was not named.

    Raises:
        Mistake: If one of the arguments is given, and none of these is torch's.
    """
    given = [path for path in paths if path is not None]
    for flag, on in (("--data", args.data), ("--side", args.side != "source")):
        if on and not any(map(is_torch_file, given)):
            if not given:
                raise Mistake(f"{flag} needs --checkpoint: name one, or remove {flag}")
            raise Mistake(f"{flag} needs a checkpoint: remove it ({given[0]})")


def add_spell_argument(parser: argparse.ArgumentParser) -> None:
    """Add the argument that gives words outside the vocabulary vectors, too."""
    parser.add_argument(
        "--spell",
        action="store_true",
        help="words that the vectors lack get theirs by their spelling: with a"
        " reconstruction or checkpoint of the method characters",
    )


def read_source(args: argparse.Namespace, wanted: Iterable[str] = ()) -> WordVectors:
    """Read the vectors that :func:`add_source_arguments` let the user name.

    Args:
        args: The arguments, and those of :func:`add_spell_argument`, if any.
        wanted: With ``--spell``: words that are to have vectors.

    Raises:
        Mistake: If they cannot be had.
    """
    spell, embedding = getattr(args, "spell", False), None
    if code_file.is_packed(args.vectors):
        vectors = code_file.read(args.vectors).word_vectors()
    elif is_torch_file(args.vectors):
        # Only here: text files of vectors need neither torch nor fairseq.
        from alone_experiments.word_vectors.trained_models import read_embedding

        embedding, vectors = read_embedding(args)
    else:
        vectors = VectorFile(args.vectors, args.format).read(args.words)
    known = len(vectors.words)
    if args.words is not None and args.words > known:
        raise Mistake(
            f"{args.vectors}: holds {known:,} words, {args.words:,} were asked for: ask"
            " for fewer with --words"
        )
    chosen = vectors.rows(list(range(known))[: args.words])
    if spell and embedding is None:
        raise Mistake(
            f"--spell needs a reconstruction or a checkpoint; {args.vectors} is none"
        )
    if not spell:
        return chosen
    missing = [word for word in wanted if chosen.find(word) is None]
    return add_spelled_words(chosen, embedding, missing)
