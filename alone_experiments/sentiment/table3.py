"""The ``reproduce-sentiment`` command: Table 3 of Shu and Nakayama (2018)."""

from __future__ import annotations

import argparse
from pathlib import Path

from alone_experiments.arguments import names, whole_number, whole_numbers
from alone_experiments.jobs import Job, add_job_arguments, do_experiment
from alone_experiments.mistakes import Mistake
from alone_experiments.repository import output_folder, shown
from alone_experiments.sentiment.rows import SentimentRow, all_rows
from alone_experiments.show_results import show_results

DESCRIPTION = """\
Classify film reviews with given word vectors, with learned codes of them, and with
rivals that take as many bytes; then test the differences and make the table. What is
done already is skipped; after a kill the same command carries on. A row is lookup, the
vectors themselves; codes_MxK, such as codes_16x32, learned codes with M codebooks of K
codewords; random_codes_MxK, codes that are drawn; or METHOD_MxK, such as
low_rank_16x32, an embedding method with as many stored bytes as these codes."""

SEEDS = [1, 2, 3]
EXPERIMENT = "sentiment"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.description = DESCRIPTION
    add = parser.add_argument
    add("--rows", type=names, metavar="A,B", help="only these rows [all]")
    add(
        "--seed",
        type=whole_numbers(),
        default=SEEDS,
        metavar="N,M",
        help="seeds, one run a row and seed [1,2,3]",
    )
    add(
        "--from",
        dest="source",
        required=True,
        metavar="DIR",
        help="the Large Movie Review Dataset: its folder aclImdb, or a folder with"
        " train.tsv.gz and test.tsv.gz",
    )
    add("--vectors", required=True, metavar="FILE", help="word vectors, such as GloVe")
    less = parser.add_argument_group("less than the paper's").add_argument
    for flag, about in (
        ("--iterations", "updates of codes"),
        ("--fit-epochs", "epochs of the fits of other methods"),
        ("--epochs", "epochs of the classifier"),
        ("--longest", "words of a review"),
        ("--train-reviews", "reviews to learn from"),
        ("--test-reviews", "reviews to test on"),
    ):
        less(flag, type=whole_number(1), metavar="N", help=about)
    for flag, about in (
        ("--codes-lr", "rate of codes, higher where they have fewer updates"),
        ("--lr", "rate of the classifier, likewise"),
    ):
        less(flag, type=float, metavar="LR", help=about)
    add_job_arguments(parser, f"output/results/{EXPERIMENT}")


def run(args: argparse.Namespace) -> None:
    """Reproduce the table."""
    rows = [SentimentRow.parse(name) for name in args.rows or ()] or all_rows()
    for flag, there in (
        ("--from", Path(args.source).is_dir()),
        ("--vectors", Path(args.vectors).is_file()),
    ):
        if not there:
            path = getattr(args, flag.removeprefix("--").replace("from", "source"))
            raise Mistake(f"{flag}: there is no {path}")
    results = Path(args.results or output_folder() / "results" / EXPERIMENT).resolve()
    data = output_folder() / "data" / "imdb"
    preparation = Job("preparation", [_preparation(args, data)])

    def make_jobs() -> list[Job]:
        size = _size_of_vectors(data / "vectors.vec")
        return [
            _job(args, row, seed, size, results) for seed in args.seed for row in rows
        ]

    if do_experiment(args, EXPERIMENT, preparation, make_jobs):
        show_results(results, compare=[], plot=False)


def _preparation(args: argparse.Namespace, data: Path) -> list[str]:
    given = [("--from", args.source), ("--vectors", args.vectors)]
    flags = [word for flag, path in given for word in (flag, str(Path(path).resolve()))]
    return ["alone-fairseq", "sentiment", "prepare", *flags, "--output", shown(data)]


def _size_of_vectors(file: Path) -> tuple[int, int]:
    """Read how many vectors of which size were chosen.

    Raises:
        Mistake: If they are not there: sizes of rows follow from their number.
    """
    if not file.is_file():
        raise Mistake(
            f"there is no {shown(file)}, and sizes follow from the number of words:"
            " leave out --dry-run, or run alone-fairseq sentiment prepare"
        )
    with file.open("rb") as lines:
        words, dim = map(int, lines.readline().split())
    return words, dim


def _job(
    args: argparse.Namespace,
    row: SentimentRow,
    seed: int,
    size: tuple[int, int],
    results: Path,
) -> Job:
    name = f"{row.name}--seed{seed}"
    data = output_folder() / "data" / "imdb"
    vectors = shown(data / "vectors.vec")
    made = shown(output_folder() / "runs" / EXPERIMENT / f"{name}.pt")
    record = shown(results / f"{name}.json")
    force = ["--force"] if args.force else []
    commands = []
    if fit := row.fit(vectors, *size, seed):
        if row.method == "codes":
            fit += _given("--iterations", args.iterations)
            fit += _given("--lr", args.codes_lr)
        else:
            fit += _given("--epochs", args.fit_epochs)
        commands.append([*fit, "--output", made, *force])
    train = ["alone-fairseq", "sentiment", "train", made if fit else vectors]
    train += ["--reviews", shown(data), "--row", row.name, "--seed", str(seed)]
    for other in row.comparisons():
        train += ["--compared-with", other]
    for option in ("epochs", "lr", "longest", "train_reviews", "test_reviews", "notes"):
        train += _given(f"--{option.replace('_', '-')}", getattr(args, option))
    return Job(name, [*commands, [*train, "--output", record, *force]])


def _given(flag: str, value: str | float | None) -> list[str]:
    return [] if value in (None, "") else [flag, str(value)]
