"""The ``tag`` command: what word vectors are worth to a part-of-speech tagger.

Stratos (2017), section 5.2, on a treebank of Universal Dependencies. A word's vector is
made of its spelling alone (CHAR; CHAR(D) with a student that was fitted to vectors), or
beside it from a table of words (FULL with a look-up table; FULL+EMB where that starts
from given vectors), for which any method may stand.
"""

from __future__ import annotations

import argparse
import sys
from argparse import Namespace
from collections.abc import Callable
from math import inf
from pathlib import Path

from alone_experiments.arguments import whole_number, whole_numbers
from alone_experiments.devices import refuse_missing_gpu
from alone_experiments.locks import locked
from alone_experiments.mistakes import Mistake
from alone_experiments.tagging.embeddings import DIM, NO_TABLE
from alone_experiments.tagging.fit import Schedule
from alone_experiments.tagging.job import Job, search
from alone_experiments.tagging.scores import tell_all
from alone_experiments.tagging.treebank import COLUMNS, read_treebank
from alone_fairseq.embeddings import CONFIGS, EMBEDDINGS, add_flags

DESCRIPTION = """\
Train a part-of-speech tagger with every rate of --lr and every dropout of --dropout,
choose by the development sentences, and test the best with each seed of --seed. By
default these are 25 trainings of 20 epochs; --lr 0.0005 --dropout 0.3 is one. A word's
vector is made of its spelling, and with --embedding-method of a table of words beside
it. What is done already is skipped; after a kill the same command carries on from the
last epoch. docs/tagging.md has the rows of the paper."""

LRS = "0.0001,0.0002,0.0003,0.0004,0.0005"
DROPOUTS = "0.1,0.2,0.3,0.4,0.5"
"""The paper's."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments, among them every method's own."""
    parser.description = DESCRIPTION
    add = parser.add_argument
    add(
        "treebank",
        type=Path,
        help="folder with *-train.conllu, *-dev.conllu and *-test.conllu of Universal"
        " Dependencies, plain or gzipped",
    )
    add(
        "--tags",
        choices=tuple(COLUMNS),
        default="upos",
        help="what to learn: universal tags (upos) or the language's own (xpos)"
        " [%(default)s]",
    )
    add("--output", type=Path, required=True, metavar="DIR", help="folder for records")
    add("--row", default="", help="name of the row in records and tables [DIR's name]")
    add(
        "--sentences",
        type=whole_number(1),
        metavar="N",
        help="only the first N sentences of each part [all]",
    )
    add("--force", action="store_true", help="do what is done again")
    add("--notes", default="", help="what the summary should say beside the numbers")
    _add_vectors(parser)
    add_training_arguments(parser)


def _add_vectors(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("word vectors")
    add = group.add_argument
    add(
        "--student",
        type=Path,
        metavar="FILE",
        help="start the vectors from spellings with what alone-fairseq reconstruct"
        " --embedding-method characters made",
    )
    add(
        "--dim",
        type=whole_number(1),
        metavar="D",
        help=f"size of the vectors, where no file says it [{DIM}]",
    )
    add(
        "--embedding-method",
        default=NO_TABLE,
        metavar="METHOD",
        help="table of the training words beside their spellings: one of"
        f" {', '.join(EMBEDDINGS)}, or {NO_TABLE} [%(default)s]",
    )
    add(
        "--vectors",
        type=Path,
        metavar="FILE",
        help="start that table with these vectors, whose words it then has too",
    )
    for config in CONFIGS.values():
        add_flags(group, config, defaults=False)


def add_training_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what says how taggers are trained.

    Args:
        parser: Parser of this command, or of one that calls it.
    """
    add = parser.add_argument_group("training").add_argument
    add(
        "--lr",
        type=_numbers(lambda x: 0 < x < inf, "finite, above 0"),
        default=LRS,
        metavar="X,…",
        help="learning rates; the best by the development sentences is chosen, with"
        " the first seed [%(default)s]",
    )
    add(
        "--dropout",
        type=_numbers(lambda x: 0 <= x < 1, "in [0, 1)"),
        default=DROPOUTS,
        metavar="X,…",
        help="dropouts, chosen likewise [%(default)s]",
    )
    add(
        "--seed",
        type=whole_numbers(),
        default=[1],
        metavar="N,…",
        help="seeds of weights, dropout and order: the search has the first, the test"
        " all [1]",
    )
    for name, default, about in (
        ("epochs", 20, "passes, of which the best counts"),
        ("batch-size", 16, "sentences of an update"),
        ("hidden", 100, "size of the BiLSTM's states in each direction"),
    ):
        add(
            f"--{name}",
            type=whole_number(1),
            default=default,
            metavar="N",
            help=f"{about} [%(default)s]",
        )
    add("--device", choices=("cpu", "cuda"), default="cpu", help="[%(default)s]")


def _numbers(
    allowed: Callable[[float], bool], limits: str
) -> Callable[[str], list[float]]:
    def read(text: str) -> list[float]:
        try:
            found = [float(word) for word in text.split(",")]
        except ValueError:
            found = []
        if not found or not all(map(allowed, found)):
            raise argparse.ArgumentTypeError(
                f"must be numbers {limits} with commas between them, not {text}"
            )
        return list(dict.fromkeys(found))

    return read


def run(args: Namespace) -> None:
    """Search, train and test, as the command line says."""
    if args.vectors and args.embedding_method == NO_TABLE:
        raise Mistake(
            "--vectors is for the table of words: give --embedding-method, such as"
            " lookup"
        )
    if len({*args.seed}) < len(args.seed):
        raise Mistake("--seed names a seed twice")
    refuse_missing_gpu(args.device)
    treebank = read_treebank(args.treebank, args.tags, args.sentences)
    schedules = [
        Schedule(
            *(lr, dropout, args.seed[0], args.epochs, args.batch_size, args.hidden)
        )
        for lr in args.lr
        for dropout in args.dropout
    ]
    with locked(args.output):
        job = Job.of(args, treebank, ("alone-fairseq", *sys.argv[1:]))
        print(tell_all(search(job, schedules, args.seed)))
