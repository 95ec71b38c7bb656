"""The ``reconstruct`` command: fit a compact embedding to given word vectors.

Takase and Kobayashi (2020), section 3.1; settings not named on the command line are
theirs.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from alone_experiments.arguments import whole_number
from alone_experiments.files import refuse_same_names, refuse_to_replace
from alone_experiments.mistakes import Mistake
from alone_experiments.reconstruction import compress
from alone_experiments.reconstruction.distances import DISTANCES
from alone_experiments.reconstruction.fit import LR_SCHEDULES, OPTIMIZERS, Schedule
from alone_experiments.reconstruction.job import (
    PUBLISHED_INTER_DIM,
    fit_to_file,
    job_from,
)
from alone_experiments.reconstruction.target_arguments import (
    add_target_arguments,
    prepare,
    read_targets,
)
from alone_experiments.word_vectors.sources import is_torch_file
from alone_experiments.word_vectors.spelled_words import add_spelled_words, check_spells
from alone_experiments.word_vectors.vectors import write_word2vec
from alone_experiments.word_vectors.word_lists import read_word_list
from alone_experiments.word_vectors.word_pairs import read_pairs
from alone_fairseq.embeddings import CONFIGS, EMBEDDINGS, add_flags
from alone_fairseq.names import find

PUBLISHED_WORDS = 5000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments, among them every method's own."""
    add_target_arguments(parser, words=PUBLISHED_WORDS, hold_out=0.0)
    _add_pairs(parser)
    _add_output(parser)
    _add_fit(parser)
    methods = parser.add_argument_group(
        "method",
        f"--alone-inter-dim is {PUBLISHED_INTER_DIM} here, and a method's own seed is"
        " --seed, where they are not given.",
    )
    methods.add_argument(
        "--embedding-method",
        default="alone",
        metavar="METHOD",
        help=f"one of {', '.join(EMBEDDINGS)} [%(default)s]",
    )
    for config in CONFIGS.values():
        add_flags(methods, config, defaults=False)


def _add_pairs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--pairs",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="word pairs with human scores, for looks during the fit and at its end",
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("output").add_argument
    add("--output", type=Path, required=True, metavar="FILE", help="reconstruction")
    add("--json", type=Path, metavar="FILE", help="write settings and scores here")
    add(
        "--vectors-out",
        type=Path,
        metavar="FILE",
        help="write the reconstructed vectors here, in word2vec's text format",
    )
    add(
        "--spell",
        type=Path,
        metavar="FILE",
        help="with --vectors-out: the vectors of these words too, one a line, by their"
        " spelling (--embedding-method characters)",
    )
    add(
        "--checkpoint-out",
        type=Path,
        metavar="FILE",
        help="with a checkpoint: write the model with the fitted embedding here",
    )
    add("--force", action="store_true", help="replace an --output of other settings")


def _add_fit(parser: argparse.ArgumentParser) -> None:
    published = Schedule()
    add = parser.add_argument_group("fit").add_argument
    add(
        "--distance",
        default=published.distance,
        metavar="NAME",
        help=f"to be minimised: {', '.join(DISTANCES)} [%(default)s]",
    )
    add(
        "--epochs",
        type=whole_number(),
        default=published.epochs,
        help="0 leaves the initial values [%(default)s]",
    )
    add(
        "--batch-size",
        type=whole_number(1),
        default=published.batch_size,
        help="[%(default)s]",
    )
    add(
        "--optimizer",
        default=published.optimizer,
        metavar="NAME",
        help=f"{' or '.join(OPTIMIZERS)}, with Muon for the network [%(default)s]",
    )
    add("--lr", type=float, default=published.lr, help="learning rate [%(default)s]")
    add(
        "--lr-schedule",
        default=published.lr_schedule,
        metavar="NAME",
        help=f"{' or '.join(LR_SCHEDULES)}, down to 0 [%(default)s]",
    )
    add("--seed", type=whole_number(), default=published.seed, help="[%(default)s]")
    add("--device", default="cpu", help="cpu or cuda [%(default)s]")
    add(
        "--look-interval",
        type=whole_number(1),
        default=100,
        metavar="N",
        help="print loss and scores before the first epoch and every N; --json has them"
        " [%(default)s]",
    )
    add(
        "--save-interval",
        type=whole_number(1),
        default=25,
        metavar="N",
        help="save every N epochs, so that the same command carries on after a kill"
        " [%(default)s]",
    )


def run(args: argparse.Namespace) -> None:
    """Fit, save and score, as the command line says."""
    _check(args)
    if args.spell and not args.vectors_out:
        raise Mistake("--spell needs --vectors-out, where the vectors go")
    outputs = (args.output, args.json, args.vectors_out, args.checkpoint_out)
    lists = (args.word_list, args.dictionary, args.spell)
    refuse_to_replace([args.vectors, *args.pairs, *lists], outputs)
    refuse_same_names(args.pairs)
    pairs = {path.name: read_pairs(path) for path in args.pairs}
    if is_torch_file(args.vectors):
        if args.spell:
            raise Mistake("--spell does not go with a checkpoint: remove it")
        compress.run(args, pairs)
        return
    if args.checkpoint_out or args.data:
        raise Mistake(
            f"--checkpoint-out and --data need a checkpoint; {args.vectors} is none"
        )
    spelled = read_word_list(args.spell) if args.spell else []
    if spelled:
        check_spells(find(EMBEDDINGS, args.embedding_method, "--embedding-method"))
    job = job_from(args, prepare(read_targets(args), args))
    reconstruction = fit_to_file(job, args.output, pairs)
    if args.vectors_out:
        found = reconstruction.word_vectors()
        if spelled:
            found = add_spelled_words(found, reconstruction.embedding, spelled)
        write_word2vec(found, args.vectors_out)


def _check(args: argparse.Namespace) -> None:
    for flag in ("json", "vectors_out", "checkpoint_out"):
        path = getattr(args, flag)
        if path is not None and not path.parent.is_dir():
            name = flag.replace("_", "-")
            raise Mistake(f"--{name} {path}: there is no folder {path.parent}")
    if args.device not in ("cpu", "cuda"):
        raise Mistake(f"--device must be cpu or cuda, not {args.device}")
