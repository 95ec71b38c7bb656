"""The ``reproduce`` command: an experiment from the corpus to the table."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from alone_experiments.arguments import names
from alone_experiments.jobs import SETUP, Job, do_jobs
from alone_experiments.mistakes import Mistake
from alone_experiments.repository import CONFIGS, output_folder
from alone_experiments.row_jobs import RowJobs, add_row_arguments
from alone_experiments.show_results import show_results
from alone_experiments.training.experiment import (
    Row,
    data_folder,
    experiments,
    find_row,
    flag_value,
    preparing_script,
    read_flags,
    rows_of,
    takes,
    test_corpora,
)

DESCRIPTION = """\
Prepare the corpus, train and evaluate the rows of configs/EXPERIMENT, test whether they
differ, and make the table and the plot of the validation losses, of headlines also
that of their lengths. What is done already is skipped; after a kill the same command
carries on. A corpus that was prepared before, with other options perhaps, is used as it
is where --from (--duc, --vectors) is not given."""

OTHERS = ("reconstruction", "codes", "sentiment", "students", "tagging", "zipf")
"""Experiments of ``scripts/reproduce.sh`` that are commands of their own."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.description = DESCRIPTION
    known = " ".join([*experiments(), *OTHERS])
    add = parser.add_argument
    add("experiment", metavar="EXPERIMENT", help=f"one of {known}")
    add("--rows", type=names, metavar="A,B", help="only these rows [all]")
    add_corpus_arguments(parser)
    add_row_arguments(parser, "output/results/EXPERIMENT")


def add_corpus_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that are handed to the preparation of a corpus."""
    add = parser.add_argument_group("corpus").add_argument
    add("--from", dest="source", metavar="DIR", help="folder of the corpus's files")
    about = "folder of the files of the corpus it is tested on, where that is another"
    add("--duc", metavar="DIR", help=about)
    add("--vectors", metavar="FILE", help="word vectors to start from")


def run(args: argparse.Namespace) -> None:
    """Reproduce an experiment."""
    rows, name = _check(args), args.experiment
    results = Path(args.results or output_folder() / "results" / name).resolve()
    preparation = Job(name, _preparation(args))
    runs = output_folder() / "runs" / name
    # Those that others start from are done before these.
    kept = {row.name for row in rows} - {*(args.rows or rows_of(CONFIGS / name))}
    of_rows = RowJobs(rows, runs, results, kept=kept)
    stages = [of_rows.jobs(args, each) for each in (False, True)]
    if args.dry_run:
        for job in chain([preparation], *stages):
            job.print()
        return
    do_jobs([SETUP, preparation], at_once=1)
    for jobs in stages:
        do_jobs(jobs, args.jobs)
    folder = CONFIGS / name
    target = flag_value("--target-lang", read_flags(folder / "recipe.flags"))
    reference = data_folder(folder) / "raw" / f"test.{target}"
    show_results(results, compare=["--reference", str(reference)])


def _check(args: argparse.Namespace) -> list[Row]:
    name, folder = args.experiment, CONFIGS / args.experiment
    if name in OTHERS:
        raise Mistake(
            f"{name} has a command of its own: alone-fairseq reproduce-{name}"
        )
    if name not in experiments():
        known = " ".join([*experiments(), *OTHERS])
        raise Mistake(f"no experiment {name}; there are: {known}")
    for flag in ("--duc", "--vectors"):
        fitting = [each for each in experiments() if takes(CONFIGS / each, flag)]
        if getattr(args, flag.removeprefix("--")) and name not in fitting:
            raise Mistake(f"{flag} is for {', '.join(fitting)}, not {name}")
    rows = _with_starts(folder, args.rows or rows_of(folder))
    for corpus in test_corpora(folder):
        tested = args.duc or (output_folder() / "data" / corpus / "prepared").is_file()
        if not tested and not args.dry_run:
            raise Mistake(
                f"{name} is tested on {corpus}: name the folder of its files with"
                " --duc DIR"
            )
    return rows


def _with_starts(folder: Path, names: Sequence[str]) -> list[Row]:
    rows = [find_row(folder / f"{name}.flags") for name in names]
    starts = [start.row for row in rows if (start := row.start())]
    missing = dict.fromkeys(name for name in starts if name not in names)
    return [*(find_row(folder / f"{name}.flags") for name in missing), *rows]


def _preparation(args: argparse.Namespace) -> list[list[str]]:
    data = data_folder(CONFIGS / args.experiment)
    corpus = ["bash", preparing_script(CONFIGS / args.experiment)]
    for flag, path in (("--from", args.source), ("--vectors", args.vectors)):
        corpus += [flag, str(Path(path).resolve())] if path else []
    if not args.duc:
        return [corpus]
    given = ["--from", str(Path(args.duc).resolve()), "--training", str(data)]
    others = test_corpora(CONFIGS / args.experiment)
    return [corpus, *(["bash", f"data-prep/{name}.sh", *given] for name in others)]
