"""Write DUC-2004 task 1: test.article, and test.ref0 ... test.ref3 as they were.

test.title is the first reference in lower case, as tokens: fairseq wants a target.
test.unmasked is test.article with its digits.
"""

from __future__ import annotations

from pathlib import Path

from alone_experiments.corpora.headlines import (
    digits,
    duc2004,
    first_sentence,
    treebank,
)
from alone_experiments.corpora.headlines.given_folder import listing
from alone_experiments.corpora.job import Job
from alone_experiments.files import write_text
from alone_experiments.lines import write_parallel
from alone_experiments.mistakes import Mistake
from alone_experiments.steps import made_by

NAMES = ("article", "unmasked", "title", "ref0", "ref1", "ref2", "ref3")


def write_raw(job: Job) -> None:
    """Write the test set, unless that is done.

    Raises:
        Mistake: If files are missing or damaged, or documents are missing.
    """
    files = [job.raw / f"test.{name}" for name in NAMES]
    given, wanted = job.given_folder(files), job.settings.documents
    if given is None:
        return
    mode = _digits(job)

    def make() -> None:
        documents = list(duc2004.read(given))
        if len(documents) != wanted:
            raise Mistake(
                f"{given} has {len(documents)} documents of {wanted}; get the rest, or"
                f" say --documents {len(documents)}: scores are then not comparable"
            )
        write(documents, job.raw, mode == "mask")
        report = f"{wanted} documents, {duc2004.REFERENCES} references each"
        write_text(job.report, f"{report}; digits of sources: {mode}\n")

    depends = {
        "given": listing(given),
        "settings": [mode, wanted],
        "by": made_by(duc2004, first_sentence, treebank, digits),
    }
    job.steps.run("raw", files, depends, make)


def _digits(job: Job) -> str:
    training: Path = job.settings.training
    if not (training / "prepared").is_file():
        raise Mistake(
            f"--training: {training} is not prepared; run: bash data-prep/gigaword.sh"
        )
    if job.settings.digits is not None:
        return str(job.settings.digits)
    return "mask" if digits.are_masked(training) else "keep"


def write(documents: list[duc2004.Document], folder: Path, masked: bool) -> None:
    """Write the files, all or none of them.

    Args:
        documents: The documents in order.
        folder: Where to.
        masked: Whether digits of sources become ``#``; references keep theirs.
    """
    change = digits.mask if masked else str

    def row(document: duc2004.Document) -> tuple[str, ...]:
        title = treebank.tokenise(document.references[0]).lower()
        article = document.source
        return (change(article), article, change(title), *document.references)

    write_parallel([folder / f"test.{name}" for name in NAMES], map(row, documents))
