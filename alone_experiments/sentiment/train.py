"""The ``sentiment train`` command: a classifier of reviews over fixed word vectors.

Shu and Nakayama (2018), section 5.3; settings not named on the command line are
theirs, and ours where they do not say.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import fields
from pathlib import Path

from alone_experiments.arguments import whole_number
from alone_experiments.files import refuse_to_replace
from alone_experiments.mistakes import Mistake
from alone_experiments.sentiment.fit import Schedule
from alone_experiments.sentiment.job import Job, classify_to_file
from alone_experiments.training.experiment import Comparison
from alone_experiments.word_vectors.sources import add_source_arguments


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_source_arguments(parser)
    add = parser.add_argument
    add(
        "--reviews",
        type=Path,
        required=True,
        metavar="DIR",
        help="what alone-fairseq sentiment prepare wrote",
    )
    for part in ("train", "test"):
        add(
            f"--{part}-reviews",
            type=whole_number(1),
            metavar="N",
            help=f"only N of the reviews in {part}.tsv, drawn at random [all]",
        )
    _add_schedule(parser)
    add = parser.add_argument_group("output").add_argument
    add(
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="record of the run, JSON; what it got right is kept beside it",
    )
    add("--row", metavar="NAME", help="what the record calls it [FILE's name]")
    add(
        "--compared-with",
        action="append",
        default=[],
        metavar="ROW (LABEL)",
        help="a row that tables compare it with, beside lookup, and what it is to it",
    )
    add("--notes", default="", help="what the record should say beside the numbers")
    add(
        "--save-interval",
        type=whole_number(1),
        default=100,
        metavar="N",
        help="save every N updates, so that the same command carries on after a kill"
        " [%(default)s]",
    )
    add("--force", action="store_true", help="replace an --output of other settings")


def _add_schedule(parser: argparse.ArgumentParser) -> None:
    usual = Schedule()
    add = parser.add_argument_group("training").add_argument
    for name, about in (
        ("epochs", "passes over the reviews"),
        ("hidden", "units of the LSTM"),
        ("longest", "words of a review, from its beginning"),
        ("batch_size", "reviews of an update"),
        ("seed", "of initial weights and of the order of the reviews"),
    ):
        add(
            f"--{name.replace('_', '-')}",
            type=whole_number(0 if name == "seed" else 1),
            default=getattr(usual, name),
            metavar="N",
            help=f"{about} [%(default)s]",
        )
    add("--lr", type=float, default=usual.lr, help="Adam's [%(default)s]")
    add(
        "--hold-out",
        type=float,
        default=usual.hold_out,
        metavar="SHARE",
        help="of the training reviews, by which the best state is chosen [%(default)s]",
    )
    add("--device", choices=("cpu", "cuda"), default="cpu", help="[%(default)s]")


def run(args: argparse.Namespace) -> None:
    """Train, test and record."""
    named = {field.name: getattr(args, field.name) for field in fields(Schedule)}
    schedule = Schedule(**named)
    schedule.check()
    refuse_to_replace([args.vectors], [args.output])
    for other in args.compared_with:
        Comparison.parse(other)
    for part in ("train", "test"):
        if not (args.reviews / f"{part}.tsv").is_file():
            raise Mistake(
                f"--reviews {args.reviews}: has no {part}.tsv: make it with"
                " alone-fairseq sentiment prepare"
            )
    job = Job(
        args,
        schedule,
        row=args.row or args.output.stem.partition("--seed")[0],
        command=("alone-fairseq", *sys.argv[1:]),
    )
    classify_to_file(job, args.output)
