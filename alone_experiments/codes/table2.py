"""The ``reproduce-codes`` command: Table 2 and Figure 3 of Shu and Nakayama (2018)."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from alone_experiments.arguments import whole_number, whole_numbers
from alone_experiments.codes.shapes import Shape, shapes
from alone_experiments.jobs import Job, add_job_arguments, do_experiment, link
from alone_experiments.mistakes import Mistake
from alone_experiments.repository import output_folder, shown
from alone_experiments.show_results import show_results

DESCRIPTION = """\
Learn codes of word vectors for every size of the paper's Table 2, then make its table
of losses, and the heat maps of how evenly codes are used (Figure 3). Sizes with equally
many codewords are learned together. What is done already is skipped; after a kill the
same command carries on."""

SIZES = (8, 16, 32, 64)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.description = DESCRIPTION
    add = parser.add_argument
    add(
        "--codes",
        type=shapes,
        default=[Shape(m, k) for k in SIZES for m in SIZES],
        metavar="MxK,…",
        help="only these sizes [the 16 of Table 2]",
    )
    add(
        "--seed",
        type=whole_numbers(),
        default=[1],
        metavar="N,M",
        help="seeds, one run a size and seed [1]",
    )
    add(
        "--vectors",
        metavar="FILE",
        help="word vectors [GloVe, from data-prep/glove.sh]",
    )
    add("--words", type=whole_number(1), metavar="N", help="the first N words [all]")
    add("--iterations", type=whole_number(1), metavar="N", help="updates [200000]")
    add("--lr", metavar="X", help="learning rate [0.0001]")
    add_job_arguments(parser, "output/results/codes")


def run(args: argparse.Namespace) -> None:
    """Reproduce the table and the figure."""
    if args.vectors and not Path(args.vectors).is_file():
        raise Mistake(f"--vectors: no file {args.vectors}")
    results = Path(args.results or output_folder() / "results" / "codes").resolve()
    data = output_folder() / "data"
    vectors, prepare = (
        data / "glove/glove.6B.300d.txt",
        [["bash", "data-prep/glove.sh"]],
    )
    if args.vectors:
        vectors = data / "codes" / Path(args.vectors).resolve().name
        prepare = link(args.vectors, vectors, args.force)
    preparation = Job("preparation", prepare)
    jobs = make_jobs(args, vectors, results)
    if do_experiment(args, "codes", preparation, lambda: jobs):
        show_results(results)


def make_jobs(args: argparse.Namespace, vectors: Path, results: Path) -> list[Job]:
    """Make a job for each number of codewords.

    Args:
        args: Options of this command.
        vectors: File of the word vectors.
        results: Folder for the records.
    """
    learn = ["alone-fairseq", "codes", "learn", shown(vectors)]
    for name in ("words", "iterations", "lr"):
        if value := getattr(args, name):
            learn += [f"--{name}", str(value)]
    learn += ["--seed", ",".join(map(str, args.seed)), "--records", shown(results)]
    learn += ["--notes", args.notes] if args.notes else []
    learn += ["--force"] if args.force else []
    jobs = []
    for codewords in sorted({shape.codewords for shape in args.codes}):
        own = [shape for shape in args.codes if shape.codewords == codewords]
        jobs.append(_job(learn, codewords, own, args.seed))
    return jobs


def _job(
    learn: list[str], codewords: int, own: Sequence[Shape], seeds: Sequence[int]
) -> Job:
    output = output_folder() / "runs" / "codes" / f"{codewords}.pt"
    if len(own) == len(seeds) == 1:
        # The name that the file of this run has among several.
        output = output.with_name(f"{codewords}.{own[0]}--seed{seeds[0]}.pt")
    flags = ["--codes", ",".join(map(str, own)), "--output", shown(output)]
    return Job(f"{codewords} codewords", [[*learn, *flags]])
