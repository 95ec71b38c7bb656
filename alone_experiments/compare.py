"""The ``compare`` command: methods on a corpus of yours, or the rows of a table."""

from __future__ import annotations

import argparse
from itertools import pairwise
from pathlib import Path

from alone_experiments.arguments import names
from alone_experiments.evaluation.generation import is_language
from alone_experiments.jobs import SETUP, do_jobs
from alone_experiments.mistakes import Mistake, say
from alone_experiments.repository import output_folder
from alone_experiments.results import compare as results_compare
from alone_experiments.row_jobs import RowJobs, add_row_arguments
from alone_experiments.show_results import show_results
from alone_experiments.training.experiment import Row
from alone_experiments.training.language_pair import language_pair
from alone_experiments.training.recipes import recipes, rows_of_recipe

DESCRIPTION = """\
What is done follows from what FOLDER holds.

A prepared corpus: train a look-up table and its rivals at one size with one
recipe, evaluate them, test whether they differ, and make the table and the
plot of the validation losses. What is done already is skipped; after a kill
the same command carries on.

Records of trained rows, FOLDER/*.json: train nothing, only make the tests that
its table shows, of every row with look-up and with the rows that its own file
names, seed by seed. Translations are compared by SacreBLEU's paired test, for
which it needs the reference, all else by what is kept beside the records. Of
the options only --reference counts here. Tests that are there already are not
made again."""

METHODS = ("lookup", "low_rank", "alone")
AUTO = "auto:"
SHARE = 0.5
"""Of look-up's values: what the rows of recipes have."""

SHRINKING = "--alone-own-dim"
"""A size that shrinks with the share, beside those that are ``auto``."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.description = DESCRIPTION
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add(
        "folder",
        type=Path,
        metavar="FOLDER",
        help="prepared corpus, such as output/data/captions, or what fairseq-preprocess"
        " wrote; or records, such as results/multi30k",
    )
    add(
        "--reference",
        type=Path,
        metavar="FILE",
        help="raw reference of the test set [raw/test.<target> of the corpus]",
    )
    known = ", ".join(recipes())
    add(
        "--recipe",
        default="small",
        help=f"{known}: a folder of configs/recipes [small]",
    )
    add(
        "--methods",
        type=names,
        default=[*METHODS],
        metavar="A,B",
        help=f"rows of the recipe [{','.join(METHODS)}]",
    )
    add(
        "--share",
        type=float,
        default=SHARE,
        metavar="S",
        help="values of all but look-up, as a share of look-up's [%(default)s]",
    )
    add_row_arguments(parser, "output/compare/CORPUS/RECIPE-SHARE/results")


def run(args: argparse.Namespace) -> None:
    """Compare methods on a corpus, or the rows of a folder of results."""
    folder = args.folder.resolve()
    # Beside a corpus there may be other files of this ending, but none of its own.
    if _binary_data(folder) is None and any(folder.glob("*.json")):
        results_compare.compare_rows(args.folder, args.reference)
        return
    if not 0 < args.share <= 1:
        raise Mistake(f"--share must be over 0 and at most 1, not {args.share:g}")
    rows = rows_of_recipe(args.recipe, args.methods)
    corpus_name = folder.parent.name if folder.name == "bin" else folder.name
    usual = output_folder() / "compare" / corpus_name / f"{args.recipe}-{args.share:g}"
    corpus, reference = find_corpus(folder, args.reference, usual, not args.dry_run)
    runs = usual / "runs"
    results = Path(args.results or usual / "results").resolve()

    def where(name: str) -> list[str]:
        return ["--data", str(corpus), "--save-dir", str(runs / name)]

    def flags_of(row: Row) -> list[str]:
        return sizes(row, args.share)

    jobs = RowJobs(rows, runs, results, where, flags_of).jobs(args)
    if args.dry_run:
        for job in jobs:
            job.print()
        return
    do_jobs([SETUP], at_once=1)
    do_jobs(jobs, args.jobs)
    show_results(results, compare=["--reference", str(reference)])


def sizes(row: Row, share: float) -> list[str]:
    """Give the flags that make a row of a recipe as large as wanted.

    Args:
        row: The row; its own sizes are ``auto:0.5`` and in proportion to that.
        share: Of look-up's values.

    Returns:
        Flags that come after its own; none for the usual share.
    """
    if share == SHARE:
        return []
    flags = row.flags()
    found = []
    for flag, value in pairwise(flags):
        if value.startswith(AUTO):
            found += [flag, f"{AUTO}{share:g}"]
        elif flag == SHRINKING:
            found += [flag, str(int(int(value) * share / SHARE))]
    return found


def _binary_data(folder: Path) -> Path | None:
    places = (folder, folder / "bin")
    return next((place for place in places if any(place.glob("dict.*.txt"))), None)


def find_corpus(
    folder: Path, reference: Path | None, place: Path, make: bool = True
) -> tuple[Path, Path]:
    """Find the binary data and the raw reference of a corpus.

    Args:
        folder: A prepared corpus, its ``bin``, or what ``fairseq-preprocess`` wrote.
        reference: Raw reference of the test set, where the user names one.
        place: Folder for what is made where the reference is not beside the data.
        make: Whether to make it.

    Returns:
        Folder with ``bin`` and ``raw``, and the reference.

    Raises:
        Mistake: If something is missing, the target is no language, or the place is
            that of other data.
    """
    binary = _binary_data(folder)
    if binary is None:
        raise Mistake(
            f"{folder} has neither results nor a prepared corpus: make one with"
            " alone-fairseq prepare SOURCE-TEXT TARGET-TEXT"
        )
    target = language_pair(binary)[1]
    # Said now, as translations are detokenised only after hours of training.
    if not is_language(target):
        raise Mistake(
            f"{binary}: '{target}' is no code of a language, such as de, and"
            " translations are detokenised by it: name the texts by codes, train.en and"
            " train.de, and prepare them again"
        )
    beside = binary.parent / "raw" / f"test.{target}"
    if reference is None and binary.name == "bin" and beside.is_file():
        return binary.parent, beside
    if reference is None:
        raise Mistake(
            f"{binary} has no ../raw/test.{target}: give the raw text of the test set's"
            " target side with --reference FILE"
        )
    if not reference.is_file():
        raise Mistake(f"--reference: no file {reference}")
    view = place / "corpus"
    for link, to in (("bin", binary), (f"raw/test.{target}", reference)):
        before = (view / link).resolve() if (view / link).is_symlink() else None
        if before not in (None, to.resolve()):
            raise Mistake(
                f"{place} has a comparison on {before}, now it is {to}: give the folder"
                " of the data another name, or remove that comparison"
            )
        if make and before is None:
            (view / "raw").mkdir(parents=True, exist_ok=True)
            (view / link).symlink_to(to.resolve())
    say(f"corpus: {view}, of {binary} and {reference}")
    return view, view / "raw" / f"test.{target}"
