"""The ``codes learn`` command: learn compositional codes from word vectors.

Shu and Nakayama (2018), section 4; settings not named on the command line are theirs,
but that the words by which the best state is chosen are not learned from.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import fields
from pathlib import Path

from alone_experiments.arguments import whole_number, whole_numbers
from alone_experiments.codes.fit import Run, Schedule
from alone_experiments.codes.job import Job, learn_to_files, name_files
from alone_experiments.codes.shapes import shapes
from alone_experiments.files import refuse_to_replace
from alone_experiments.mistakes import Mistake
from alone_experiments.reconstruction.target_arguments import (
    add_target_arguments,
    prepare,
    read_targets,
)
from alone_experiments.reconstruction.targets import Targets
from alone_experiments.word_vectors.sources import is_torch_file

SPLIT_SEED = 1
"""Of the words kept back: the same for all runs, so that they can be compared."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_target_arguments(parser, words=None, hold_out=0.05)
    parser.set_defaults(seed=SPLIT_SEED)
    add = parser.add_argument_group("codes").add_argument
    add(
        "--codes",
        type=shapes,
        default=shapes("32x16"),
        metavar="MxK,…",
        help="sizes: M codebooks of K codewords; several are learned one after the"
        " other, those with equally many codewords at once [32x16]",
    )
    add(
        "--seed",
        dest="seeds",
        type=whole_numbers(),
        default=[1],
        metavar="N,…",
        help="seeds, one run a size and seed [1]",
    )
    _add_schedule(parser)
    _add_output(parser)


def _add_schedule(parser: argparse.ArgumentParser) -> None:
    published = Schedule()
    add = parser.add_argument_group("learning").add_argument
    for name, about in (
        ("iterations", "updates"),
        ("batch_size", "words of an update"),
        ("check_interval", "updates between checks, each of which saves"),
    ):
        add(
            f"--{name.replace('_', '-')}",
            type=whole_number(1),
            default=getattr(published, name),
            metavar="N",
            help=f"{about} [%(default)s]",
        )
    add(
        "--hidden",
        type=whole_number(0),
        default=published.hidden,
        metavar="N",
        help="size of the network's hidden layer; 0: MK/2 [%(default)s]",
    )
    for name, about in (
        ("lr", "Adam's learning rate"),
        ("tau", "temperature of the softmax"),
        ("tau_end", "temperature at the end, which it falls to; 0: as --tau"),
    ):
        add(
            f"--{name.replace('_', '-')}",
            type=float,
            default=getattr(published, name),
            metavar="X",
            help=f"{about} [%(default)s]",
        )
    add(
        "--straight-through",
        action="store_true",
        help="build vectors with one codeword a codebook while learning, too",
    )
    add(
        "--revive",
        action="store_true",
        help="at each check make each codeword that no word uses a noisy copy of the"
        " most used one of its codebook",
    )
    add("--device", choices=("cpu", "cuda"), default="cpu", help="[%(default)s]")


def _add_output(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("output").add_argument
    add(
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="codes and codewords, for --embedding-init and the other commands; of"
        " several runs FILE's name with size and seed in it",
    )
    add(
        "--records",
        type=Path,
        metavar="DIR",
        help="write a record a run into this folder: MxK--seedN.json",
    )
    add("--notes", default="", help="what the records should say beside the numbers")
    add(
        "--checkpoint-out",
        type=Path,
        metavar="FILE",
        help="with a checkpoint and one run: write the model with the codes here",
    )
    add(
        "--look-interval",
        type=whole_number(1),
        default=10_000,
        metavar="N",
        help="print what a check found every N updates, and at the end [%(default)s]",
    )
    add("--force", action="store_true", help="replace an --output of other settings")


def run(args: argparse.Namespace) -> None:
    """Learn, save and record, as the command line says."""
    runs = [Run(shape, seed) for shape in args.codes for seed in args.seeds]
    if len(set(runs)) < len(runs):
        raise Mistake("--codes and --seed name a run twice")
    inputs = (args.vectors, args.word_list, args.dictionary)
    outputs = name_files(args.output, runs).values()
    refuse_to_replace(inputs, [*outputs, args.checkpoint_out])
    path = args.checkpoint_out
    if path is not None and not path.parent.is_dir():
        raise Mistake(f"--checkpoint-out {path}: there is no folder {path.parent}")
    if is_torch_file(args.vectors):
        _learn_from_checkpoint(args, runs)
        return
    if args.checkpoint_out or args.data:
        raise Mistake(
            f"--checkpoint-out and --data need a checkpoint; {args.vectors} is none"
        )
    targets = prepare(read_targets(args), args)
    learn_to_files(_job(args, targets), name_files(args.output, runs))


def _learn_from_checkpoint(args: argparse.Namespace, runs: list[Run]) -> None:
    from alone_experiments.reconstruction import compress  # only it needs fairseq

    if args.checkpoint_out and len(runs) > 1:
        raise Mistake("--checkpoint-out needs one size and one seed")
    task, tables = compress.read_tables(args)
    files = {
        side: name_files(compress.of_side(args.output, side, tables), runs)
        for side in tables
    }
    outputs = [path for named in files.values() for path in named.values()]
    refuse_to_replace([args.vectors], [*outputs, args.checkpoint_out])
    made = {}
    for side, targets in tables.items():
        whose = side if len(tables) > 1 else ""
        learned = learn_to_files(_job(args, targets, whose), files[side])
        made[side] = next(iter(learned.values()))
    if args.checkpoint_out:
        compress.write_checkpoint(args, task, made)


def _job(args: argparse.Namespace, targets: Targets, side: str = "") -> Job:
    schedule = {field.name: getattr(args, field.name) for field in fields(Schedule)}
    return Job(
        targets,
        Schedule(**schedule),
        source=args.vectors.name,
        device=args.device,
        look_interval=args.look_interval,
        command=("alone-fairseq", *sys.argv[1:]),
        records=args.records,
        side=side,
        notes=args.notes,
        force=args.force,
    )
