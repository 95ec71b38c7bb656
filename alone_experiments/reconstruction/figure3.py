"""The ``reproduce-reconstruction`` command: Figure 3 of the paper, and its table."""

from __future__ import annotations

import argparse
from pathlib import Path

from alone_experiments.arguments import names, whole_number, whole_numbers
from alone_experiments.jobs import Job, add_job_arguments, do_experiment, link
from alone_experiments.mistakes import Mistake
from alone_experiments.reconstruction.rows import (
    ReconstructionRow,
    all_rows,
    part_runs,
)
from alone_experiments.repository import output_folder, shown
from alone_experiments.show_results import show_results
from alone_experiments.training.hardware import count_gpus

DESCRIPTION = """\
Fit ALONE to word vectors for every inner size of the paper's Figure 3, with both
filters, with o trained and frozen, and a factorised table of the same size; then make a
table and the figure. What is done already is skipped; after a kill the same command
carries on. A row is METHOD_hSIZE, METHOD being alone_real, alone_binary or low_rank
(with as many trained values as ALONE of that size), then _frozen for a frozen o, _decay
for a learning rate that falls to nothing or _muon for Muon with such a rate, and
_heldout to keep a fifth of the words back: alone_real_h600, alone_binary_h2400_frozen,
low_rank_h2400_heldout. --rows has to name rows _decay and _muon."""

SEEDS = [1, 2, 3, 4, 5]

TEST_SETS = ("simlex-999", "wordsim-353", "rg-65", "men")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.description = DESCRIPTION
    add = parser.add_argument
    add("--rows", type=names, metavar="A,B", help="only these rows [all]")
    add(
        "--seed",
        type=whole_numbers(),
        metavar="N,M",
        help="seeds, one run a row and seed [1,2,3,4,5]",
    )
    add(
        "--part",
        action="store_true",
        help="in place of --rows and --seed: sizes 600 and 2400 with seeds 1 and 2,"
        " frozen o and held-out words with seed 1",
    )
    number = whole_number(1)
    add("--epochs", type=number, default=1000, metavar="N", help="passes [%(default)s]")
    add("--device", choices=("cpu", "cuda"), help="[cuda where there is a GPU]")
    _add_words(parser)
    add_job_arguments(parser, "output/results/reconstruction")


def _add_words(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("word vectors").add_argument
    add(
        "--vectors",
        metavar="FILE",
        help="word vectors [GloVe, from data-prep/glove.sh]",
    )
    add(
        "--from",
        dest="source",
        metavar="DIR",
        help="folder of the test sets and, without --vectors, of GloVe's archive, for"
        " data-prep/wordsim.sh and data-prep/glove.sh",
    )
    add(
        "--word-list",
        metavar="FILE",
        help="take the words from this list, such as 'word count' lines of a corpus, of"
        " which the most frequent are taken",
    )
    add(
        "--words",
        type=whole_number(1),
        default=5000,
        metavar="N",
        help="fit the first N words of the vectors, or of the list [%(default)s]",
    )


def run(args: argparse.Namespace) -> None:
    """Reproduce the figure."""
    runs = _choose_runs(args)
    _check_files(args)
    results = Path(args.results or output_folder() / "results/reconstruction").resolve()
    preparation, jobs = make_jobs(args, runs, results)
    if do_experiment(args, "reconstruction", preparation, lambda: jobs, results):
        show_results(results)


def _choose_runs(args: argparse.Namespace) -> list[tuple[ReconstructionRow, int]]:
    if args.part:
        if args.rows or args.seed:
            raise Mistake("--part stands for --rows and --seed: give one")
        return part_runs()
    rows = [ReconstructionRow.parse(name) for name in args.rows or ()] or all_rows()
    return [(row, seed) for seed in args.seed or SEEDS for row in rows]


def _check_files(args: argparse.Namespace) -> None:
    for flag, path in (("--vectors", args.vectors), ("--word-list", args.word_list)):
        if path and not Path(path).is_file():
            raise Mistake(f"{flag}: no file {path}")
    if args.source and not Path(args.source).is_dir():
        raise Mistake(f"--from: no folder {args.source}")


def make_jobs(
    args: argparse.Namespace,
    runs: list[tuple[ReconstructionRow, int]],
    results: Path,
) -> tuple[Job, list[Job]]:
    """Make all commands.

    Args:
        args: Options of this command.
        runs: Rows and seeds.
        results: Folder for the records.

    Returns:
        The preparation, and a job a run, which is called as its record.
    """
    data = output_folder() / "data"
    given = ["--from", str(Path(args.source).resolve())] if args.source else []
    vectors, words = data / "glove/glove.6B.300d.txt", data / "reconstruction/words.txt"
    prepare = [["bash", "data-prep/wordsim.sh", *given]]
    if args.vectors:
        vectors = data / "reconstruction" / Path(args.vectors).resolve().name
        prepare += link(args.vectors, vectors, args.force)
    else:
        prepare.append(["bash", "data-prep/glove.sh", *given])
    prepare += link(args.word_list, words, args.force) if args.word_list else []
    device = args.device or ("cuda" if count_gpus() else "cpu")
    reconstruct = [
        *("alone-fairseq", "reconstruct", shown(vectors)),
        *(["--word-list", shown(words)] if args.word_list else []),
        *("--words", str(args.words), "--epochs", str(args.epochs)),
    ]
    pairs = [shown(data / "wordsim" / f"{name}.txt") for name in TEST_SETS]
    test = ["--device", device, "--pairs", *pairs]
    jobs = [_job(reconstruct, row, seed, test, args, results) for row, seed in runs]
    return Job("preparation", prepare), jobs


def _job(
    reconstruct: list[str],
    row: ReconstructionRow,
    seed: int,
    test: list[str],
    args: argparse.Namespace,
    results: Path,
) -> Job:
    name = f"{row.name}--seed{seed}"
    file = shown(output_folder() / "runs/reconstruction" / f"{name}.pt")
    facts = shown(output_folder() / "runs/reconstruction" / f"{name}.json")
    record = shown(results / f"{name}.json")
    remove = ["rm", "-f", file, f"{file}.unfinished", facts, record]
    fit = [*reconstruct, *row.flags(args.words), "--seed", str(seed), *test]
    fit += ["--output", file, "--json", facts]
    keep = ["python", "-m", "alone_experiments.results.record_reconstruction"]
    keep += ["--facts", facts, "--row", row.name, "--output", record]
    keep += ["--notes", args.notes]
    return Job(name, [*([remove] if args.force else []), fit, keep])
