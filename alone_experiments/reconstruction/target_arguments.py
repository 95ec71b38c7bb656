"""The arguments that say what is to be fitted, and the targets that they name."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from alone_experiments.arguments import whole_number
from alone_experiments.codes.code_file import is_packed
from alone_experiments.mistakes import Mistake
from alone_experiments.reconstruction.targets import (
    Targets,
    from_dictionary,
    from_words,
    hold_out,
    scale_to,
)
from alone_experiments.word_vectors.vectors import FORMATS, VectorFile
from alone_experiments.word_vectors.word_lists import read_chosen, read_word_list

if TYPE_CHECKING:
    from fairseq.data import Dictionary


def add_target_arguments(
    parser: argparse.ArgumentParser, words: int | None, hold_out: float
) -> None:
    """Add the arguments that say what is to be fitted.

    Args:
        parser: Parser of the command.
        words: How many words are taken where the user does not say; ``None`` for all.
        hold_out: The share of them that is kept back where the user does not say.
    """
    parser.add_argument(
        "vectors",
        type=Path,
        help="word vectors (GloVe, word2vec text or binary, fastText .vec, plain or"
        " gzipped), or a checkpoint of a translation model",
    )
    group = parser.add_argument_group("input")
    add = group.add_argument
    add(
        "--format",
        choices=("auto", *FORMATS),
        default="auto",
        help="of a file of word vectors; fastText's .vec is word2vec [%(default)s]",
    )
    _add_choice_of_words(group, words)
    add(
        "--std",
        type=float,
        metavar="S",
        help="scale all vectors so that their entries have this standard deviation; 0"
        " leaves them [0; D^-0.5 with --dictionary, which a Transformer needs]",
    )
    add(
        "--hold-out",
        type=float,
        default=hold_out,
        metavar="SHARE",
        help="do not fit this share of the words, and score them apart [%(default)s]",
    )
    add(
        "--data",
        type=Path,
        metavar="DIR",
        help="with a checkpoint: folder with the dictionaries of its training",
    )
    parser.set_defaults(usual_words=words)


def _add_choice_of_words(group: argparse._ArgumentGroup, words: int | None) -> None:
    add = group.add_argument
    add(
        "--words",
        type=whole_number(1),
        metavar="N",
        help="fit the first N words of the vectors or of --word-list"
        f" [{f'{words}; all with --dictionary' if words else 'all'}]",
    )
    add(
        "--word-list",
        type=Path,
        metavar="FILE",
        help="take these words: one a line, or 'word count' lines of a corpus, of which"
        " the most frequent are taken",
    )
    add(
        "--dictionary",
        type=Path,
        metavar="FILE",
        help="fit the rows of this dict.LANG.txt of fairseq-preprocess whose symbols"
        " have vectors, for fairseq-train --embedding-init",
    )


def read_targets(args: argparse.Namespace) -> Targets:
    """Read a file of word vectors as :func:`add_target_arguments` let the user say.

    Raises:
        Mistake: If the vectors, the list or the dictionary cannot be read.
    """
    if args.word_list and args.dictionary:
        raise Mistake("give --word-list or --dictionary, not both")
    if is_packed(args.vectors):
        raise Mistake(
            f"{args.vectors}: holds packed codes; make word vectors of them with"
            " alone-fairseq codes unpack --vectors-out"
        )
    file = VectorFile(args.vectors, args.format)
    if args.dictionary:
        dictionary = load_dictionary(args.dictionary)
        symbols = dictionary.symbols[dictionary.nspecial :]
        found = read_chosen(file, symbols, args.words)
        return from_dictionary(found, dictionary)
    words = args.words or args.usual_words
    if args.word_list:
        return from_words(read_chosen(file, read_word_list(args.word_list), words))
    return from_words(file.read(words))


def refuse_for_checkpoint(args: argparse.Namespace) -> None:
    """Refuse arguments that make no sense where a checkpoint's table is fitted.

    Raises:
        Mistake: If there are any.
    """
    for flag in ("words", "word_list", "dictionary", "std"):
        if getattr(args, flag):
            name = flag.replace("_", "-")
            raise Mistake(f"--{name} does not go with a checkpoint: remove it")


def prepare(targets: Targets, args: argparse.Namespace) -> Targets:
    """Scale the targets and keep some back, as the command line says.

    Raises:
        Mistake: If a flag is out of range.
    """
    default = targets.vectors.shape[1] ** -0.5 if args.dictionary else 0.0
    scaled = scale_to(targets, default if args.std is None else args.std)
    return hold_out(scaled, args.hold_out, args.seed)


def load_dictionary(path: Path) -> Dictionary:
    """Read a dictionary that ``fairseq-preprocess`` wrote.

    Raises:
        Mistake: If it cannot be read, is none, or has an empty word.
    """
    from fairseq.data import Dictionary  # here: files of vectors need no fairseq

    if not path.is_file():
        raise Mistake(f"--dictionary {path}: no such file")
    try:
        found: Dictionary = Dictionary.load(str(path))
    except Exception as error:  # fairseq raises no narrower one
        reason = str(error).splitlines()[0][:100]
        raise Mistake(
            f"--dictionary {path}: is no dictionary of fairseq-preprocess ({reason})"
        ) from error
    if "" in found.symbols:
        line = found.symbols.index("") - found.nspecial + 1
        raise Mistake(f"--dictionary {path}, line {line}: has no word")
    return found
