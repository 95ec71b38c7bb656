"""Clean a corpus of first sentences and headlines, and split it.

Writes {train,valid,test}.{article,title}: tokens of the Penn Treebank in lower case.
"""

from __future__ import annotations

from pathlib import Path

from alone_experiments.corpora.description import PARTS
from alone_experiments.corpora.given_text import needed, parallel_lines
from alone_experiments.corpora.headlines import (
    cleaning,
    near_duplicates,
    splits,
    treebank,
)
from alone_experiments.corpora.headlines.near_duplicates import Pair
from alone_experiments.corpora.job import Job
from alone_experiments.files import write_text
from alone_experiments.lines import sha256, write_parallel
from alone_experiments.steps import made_by

NAMES = ("src.txt", "tgt.txt")
SIDES = ("article", "title")
"""The languages of a corpus of headlines, as fairseq knows them."""


def write_raw(job: Job) -> None:
    """Write the raw pairs, unless that is done.

    Raises:
        Mistake: If files are missing or damaged, do not match, or are too few pairs.
    """
    files = [job.raw / f"{part}.{side}" for part in PARTS for side in SIDES]
    folder = job.given_folder(files)
    if folder is None:
        return
    given = needed(folder, NAMES)
    tickers = job.settings.remove_tickers == "yes"
    valid, test = job.settings.valid_pairs, job.settings.test_pairs

    def make() -> None:
        pairs = read_pairs(given, tickers)
        done = splits.split(pairs, valid, test, f"{folder} must hold all of the corpus")
        for part, found in done.parts.items():
            write_parallel([job.raw / f"{part}.{side}" for side in SIDES], found)
        report = [f"{len(pairs)} pairs", *done.report()]
        write_text(job.report, "\n".join(report) + "\n")

    depends = {
        "given": [sha256(file) for file in given],
        "settings": [tickers, valid, test],
        "by": made_by(cleaning, near_duplicates, splits, treebank),
    }
    message = f"cleaning and splitting the pairs of {folder}"
    job.steps.run("raw", files, depends, make, message)


def read_pairs(given: list[Path], tickers: bool) -> list[Pair]:
    """Read and clean pairs.

    Args:
        given: The sources and the titles, one a line.
        tickers: Whether to remove the codes of shares.

    Returns:
        Source and title of each; pairs of which either is empty are left out.

    Raises:
        Mistake: If a file is damaged, or their lines do not match.
    """
    pairs = []
    for row in parallel_lines(given):
        source, title = map(cleaning.without_tickers, row) if tickers else row
        source, title = cleaning.truncate(cleaning.clean(source)), cleaning.clean(title)
        if source and title:
            pairs.append((source, title))
    return pairs
