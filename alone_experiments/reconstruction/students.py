"""The ``reproduce-students`` command: Tables 1 and 2 of Stratos (2017)."""

from __future__ import annotations

import argparse
from pathlib import Path

from alone_experiments.arguments import names, whole_number, whole_numbers
from alone_experiments.files import refuse_same_names
from alone_experiments.jobs import Job, add_job_arguments, do_experiment, link
from alone_experiments.mistakes import Mistake
from alone_experiments.repository import output_folder, shown
from alone_experiments.show_results import show_results

DESCRIPTION = """\
Fit vectors made from spellings (students) to given word vectors, by each distance, and
make the paper's tables of their similarity to human judgement after 0, 10, ..., 50
epochs, and of the analogies they answer after 10; beside the paper's, one of words that
a student never saw, a fifth of all. What is done already is skipped; after a kill the
same command carries on. A row is similarity_DISTANCE, unseen_DISTANCE or
analogy_DISTANCE, or analogy_random for a student that was not fitted, with l1,
euclidean, squared, linf or cosine for DISTANCE."""

UNSEEN = "0.2"
"""Share of the words that rows ``unseen_...`` keep back."""

DISTANCES = ("l1", "euclidean", "squared", "linf", "cosine")
ROWS = (
    *(f"similarity_{distance}" for distance in DISTANCES),
    *(f"analogy_{distance}" for distance in ("random", *DISTANCES)),
    *(f"unseen_{distance}" for distance in DISTANCES),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.description = DESCRIPTION
    add = parser.add_argument
    add("--vectors", required=True, metavar="FILE", help="word vectors to be fitted")
    add("--pairs", nargs="+", required=True, metavar="FILE", help="judged word pairs")
    add(
        "--syntactic",
        required=True,
        metavar="FILE",
        help="MSR's questions, four words a line",
    )
    add(
        "--semantic",
        required=True,
        metavar="FILE",
        help="Google's questions-words.txt, of which the semantic ones are taken",
    )
    add("--rows", type=names, default=list(ROWS), metavar="A,B", help="[all]")
    add(
        "--seed",
        type=whole_numbers(),
        default=[1, 2, 3],
        metavar="N,M",
        help="seeds, one run a row and seed [1,2,3]",
    )
    add(
        "--words",
        type=whole_number(2),
        default=5000,
        metavar="N",
        help="the first N words [%(default)s]",
    )
    add("--device", choices=("cpu", "cuda"), default="cpu", help="[%(default)s]")
    for flag, usual, about in (
        ("--epochs", 50, "epochs of rows similarity_... and unseen_..."),
        ("--look-interval", 10, "epochs between columns of similarity_..."),
        ("--analogy-epochs", 10, "epochs of rows analogy_..."),
    ):
        number = whole_number(1)
        help_text = f"{about} [%(default)s]"
        add(flag, type=number, default=usual, metavar="N", help=help_text)
    add_job_arguments(parser, "output/results/students")


def run(args: argparse.Namespace) -> None:
    """Reproduce the tables."""
    given = [("--vectors", args.vectors), ("--syntactic", args.syntactic)]
    given += [("--semantic", args.semantic)]
    for flag, path in [*given, *(("--pairs", path) for path in args.pairs)]:
        if not Path(path).is_file():
            raise Mistake(f"{flag}: no file {path}")
    if unknown := [row for row in args.rows if row not in ROWS]:
        raise Mistake(f"--rows: no row {unknown[0]}; rows are {', '.join(ROWS)}")
    results = Path(args.results or output_folder() / "results" / "students").resolve()
    preparation, jobs = make_jobs(args, results)
    if do_experiment(args, "students", preparation, lambda: jobs, results):
        show_results(results, plot=False)


def make_jobs(args: argparse.Namespace, results: Path) -> tuple[Job, list[Job]]:
    """Make all commands.

    Args:
        args: Options of this command.
        results: Folder for the records.

    Returns:
        The preparation, and a job a run, which is called as its record.
    """
    data = output_folder() / "data" / "students"
    files = {"vectors": args.vectors, "msr": args.syntactic, "google": args.semantic}
    files |= {f"pairs{number}": path for number, path in enumerate(args.pairs)}
    refuse_same_names(map(Path, files.values()))
    linked = {name: data / Path(path).name for name, path in files.items()}
    prepare = [
        step
        for name, file in files.items()
        for step in link(file, linked[name], args.force)
    ]
    jobs = [
        _job(row, seed, args, linked, results)
        for seed in args.seed
        for row in args.rows
    ]
    return Job("preparation", prepare), jobs


def _job(
    row: str, seed: int, args: argparse.Namespace, files: dict[str, Path], results: Path
) -> Job:
    name = f"{row}--seed{seed}"
    runs = output_folder() / "runs" / "students"
    student, facts = shown(runs / f"{name}.pt"), shown(runs / f"{name}.json")
    record = shown(results / f"{name}.json")
    kind, distance = row.split("_")
    fit = ["alone-fairseq", "reconstruct", shown(files["vectors"])]
    first = ["--words", str(args.words)]
    fit += first
    fit += ["--embedding-method", "characters", "--seed", str(seed)]
    fit += ["--device", args.device]
    fit += ["--distance", "squared" if distance == "random" else distance]
    keep = ["python", "-m", "alone_experiments.results.record_reconstruction"]
    keep += ["--facts", facts, "--row", row, "--output", record, "--notes", args.notes]
    ask: list[list[str]] = []
    if kind == "analogy":
        # The paper's choice for analogies.
        epochs = 0 if distance == "random" else args.analogy_epochs
        fit += ["--characters-highway", "--epochs", str(epochs)]
        ways = [
            ("--analogies", student, ["--spell"]),
            # The questions that the given vectors can answer, with their candidates.
            ("--known-analogies", student, []),
        ]
        if distance == "random":  # once is enough
            ways += [("--of-given", fit[2], first)]
        for flag, source, choice in ways:
            for questions, words in _questions(files).items():
                scores = shown(runs / f"{name}{flag}-{questions}.json")
                command = ["alone-fairseq", "analogy", source, *words, *choice]
                ask.append([*command, "--json", scores])
                keep += [flag, f"{questions}={scores}"]
    else:
        between = args.look_interval if kind == "similarity" else args.epochs
        fit += ["--epochs", str(args.epochs), "--look-interval", str(between)]
        fit += ["--hold-out", UNSEEN] if kind == "unseen" else []
        pairs = [path for each, path in files.items() if each.startswith("pairs")]
        fit += ["--pairs", *map(shown, pairs)]
    fit += ["--output", student, "--json", facts]
    remove = ["rm", "-f", student, f"{student}.unfinished", facts, record]
    return Job(name, [*([remove] if args.force else []), fit, *ask, keep])


def _questions(files: dict[str, Path]) -> dict[str, list[str]]:
    return {
        "syntactic": ["--questions", shown(files["msr"])],
        "semantic": ["--questions", shown(files["google"]), "--sections", "semantic"],
    }
