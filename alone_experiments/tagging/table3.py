"""The ``reproduce-tagging`` command: Table 3 of Stratos (2017)."""

from __future__ import annotations

import argparse
from pathlib import Path

from alone_experiments.arguments import names, whole_number
from alone_experiments.devices import refuse_missing_gpu
from alone_experiments.jobs import Job, add_job_arguments, do_experiment, link
from alone_experiments.mistakes import Mistake
from alone_experiments.reconstruction.students import DISTANCES
from alone_experiments.repository import output_folder, shown
from alone_experiments.show_results import show_results
from alone_experiments.tagging.command import add_training_arguments
from alone_experiments.tagging.job import SUMMARY
from alone_experiments.tagging.treebank import COLUMNS
from alone_experiments.word_vectors.vectors import VectorFile

DESCRIPTION = """\
Train part-of-speech taggers with word vectors of every kind, and make a table of them.
Row full has a look-up table beside the spellings, full_emb one that starts from the
given vectors; char has spellings alone, char_DISTANCE a student that was fitted to the
given vectors by l1, euclidean (which the paper's table leaves out), squared, linf or
cosine, and char_random one of the same characters that was not; alone, hashed, codes
and low_rank have that method for the table. All vectors have the given ones' size.
What is done already is skipped; after a kill the same command carries on."""

TABLES = {
    "full": ["--embedding-method", "lookup"],
    "alone": [
        *("--embedding-method", "alone", "--alone-inter-dim", "auto:0.5"),
        *("--alone-centre", "--alone-initial-scale", "lookup_layer"),
    ],
    "hashed": ["--embedding-method", "hashed", "--hashed-buckets", "auto:0.5"],
    "codes": ["--embedding-method", "codes", "--codes-num-codebooks", "auto:0.5"],
    "low_rank": ["--embedding-method", "low_rank", "--low-rank-dim", "auto:0.5"],
}
"""Rows with a table of words, the compact ones with half of look-up's values."""

ROWS = (
    *(*TABLES, "full_emb", "char", "char_random"),
    *(f"char_{distance}" for distance in DISTANCES),
)

TRAINING = ("lr", "dropout", "seed", "epochs", "batch_size", "hidden", "device")
"""Options that the ``tag`` command has too."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.description = DESCRIPTION
    add = parser.add_argument
    add("--treebank", required=True, metavar="DIR", help="as for alone-fairseq tag")
    add("--vectors", required=True, metavar="FILE", help="given word vectors")
    add("--rows", type=names, default=list(ROWS), metavar="A,B", help="[all]")
    add("--tags", choices=tuple(COLUMNS), default="upos", help="[%(default)s]")
    add(
        "--student-epochs",
        type=whole_number(1),
        default=10,
        metavar="N",
        help="passes over the vectors that students are fitted to [%(default)s]",
    )
    add_job_arguments(parser, "output/results/tagging")
    add_training_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Reproduce the table."""
    if not Path(args.treebank).is_dir():
        raise Mistake(
            f"--treebank: no folder {args.treebank}: name one with *-train.conllu"
        )
    if not Path(args.vectors).is_file():
        raise Mistake(
            f"--vectors: no file {args.vectors}: name one with a word and its vector a"
            " line"
        )
    if unknown := [row for row in args.rows if row not in ROWS]:
        raise Mistake(f"--rows: no row {unknown[0]}; rows are {', '.join(ROWS)}")
    for flag, values in (("--rows", args.rows), ("--seed", args.seed)):
        if len({*values}) < len(values):
            raise Mistake(f"{flag} names one twice")
    if not args.dry_run:
        refuse_missing_gpu(args.device)
    results = Path(args.results or output_folder() / "results" / "tagging").resolve()
    preparation, jobs = make_jobs(args, results)
    # The commands compare settings with what is done, and know what is.
    if do_experiment(args, "tagging", preparation, lambda: jobs):
        show_results(results, plot=False)


def make_jobs(args: argparse.Namespace, results: Path) -> tuple[Job, list[Job]]:
    """Make all commands.

    Args:
        args: Options of this command.
        results: Folder for the records.

    Returns:
        The preparation, and a job a row, which is called as its record.
    """
    data = output_folder() / "data" / "tagging"
    treebank, vectors = data / "treebank", data / Path(args.vectors).name
    prepare = link(args.treebank, treebank, args.force)
    prepare += link(args.vectors, vectors, args.force)
    given = VectorFile(Path(args.vectors))
    words = len(given.words()) if any("char_" in row for row in args.rows) else 0
    of_given = {"dim": str(given.read(limit=1).dim), "words": str(words)}
    jobs = [_job(row, of_given, args, treebank, vectors, results) for row in args.rows]
    return Job("preparation", prepare), jobs


def _job(
    row: str,
    of_given: dict[str, str],
    args: argparse.Namespace,
    treebank: Path,
    vectors: Path,
    results: Path,
) -> Job:
    name = f"{row}--{args.tags}"
    folder = output_folder() / "runs" / "tagging" / name
    record = results / f"{name}.json"
    force = ["--force"] if args.force else []
    tag = ["alone-fairseq", "tag", shown(treebank), "--tags", args.tags, *force]
    tag += ["--row", row, "--output", shown(folder), "--notes", args.notes]
    for option in TRAINING:
        value = getattr(args, option)
        each = value if isinstance(value, list) else [value]
        tag += [f"--{option.replace('_', '-')}", ",".join(map(str, each))]
    steps = [["rm", "-f", shown(record)]] if args.force else []
    kind, _, distance = row.partition("_")
    if kind == "char" and distance:
        student = shown(folder.with_name(f"student_{distance}.pt"))
        fit = ["alone-fairseq", "reconstruct", shown(vectors), *force]
        fit += ["--words", of_given["words"], "--embedding-method", "characters"]
        if distance == "random":
            fit += ["--epochs", "0"]
        else:
            fit += ["--distance", distance, "--epochs", str(args.student_epochs)]
        fit += ["--device", args.device]
        steps.append([*fit, "--output", student])
        tag += ["--student", student]
    else:
        tag += [*TABLES.get(row, []), "--dim", of_given["dim"]]
    if row == "full_emb":
        tag += [*TABLES["full"], "--vectors", shown(vectors)]
    keep = ["mkdir", "-p", shown(results)]
    copy = ["cp", shown(folder / SUMMARY), shown(record)]
    return Job(name, [*steps, tag, keep, copy])
