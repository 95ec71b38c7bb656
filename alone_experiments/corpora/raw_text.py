"""Checks of raw text before hours are spent on it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from alone_experiments.corpora import own_texts
from alone_experiments.corpora.description import PARTS
from alone_experiments.corpora.job import Job
from alone_experiments.corpora.tokens import printable
from alone_experiments.lines import BLOCK, count_lines
from alone_experiments.mistakes import Mistake, say


def write_raw(job: Job) -> None:
    """Make sure that a corpus of the user's has a folder of raw text.

    Raises:
        Mistake: If there is none, and no files to make it of, or they are wrong.
    """
    if job.settings.texts:
        own_texts.write_raw(job)
        return
    if not job.raw.is_dir():
        raise Mistake(
            f"there is no folder {job.raw}; put the text there first, or give two text"
            " files"
        )


def check(raw: Path, languages: Sequence[str]) -> int:
    """Check the three parts of a corpus.

    Lines of the training set that are empty or not UTF-8 are no mistake here: their
    pairs are left out later. Sentences to be translated and scored must all be there.

    Args:
        raw: Folder of ``{train,valid,test}.<language>``.
        languages: Source and target.

    Returns:
        The number of training pairs.

    Raises:
        Mistake: If a file is missing or empty, if the sides differ in their number
            of lines, or if a line of ``valid`` or ``test`` has no text.
    """
    pairs = [count_pairs(raw, part, languages) for part in PARTS]
    for part in PARTS[1:]:
        for language in languages:
            _check_sentences(raw / f"{part}.{language}")
    return pairs[0]


def count_pairs(raw: Path, part: str, languages: Sequence[str]) -> int:
    """Count the lines of one part.

    Args:
        raw: Folder of ``<part>.<language>``.
        part: Its name.
        languages: Source and target.

    Returns:
        The number of lines of either side.

    Raises:
        Mistake: If a file is missing or empty, or the numbers differ.
    """
    files = [raw / f"{part}.{language}" for language in languages]
    for file in files:
        if not file.is_file() or not file.stat().st_size:
            raise Mistake(f"{file} is missing or empty; prepare the corpus first")
        if _has_carriage_returns(file):
            say(f"{file} has carriage returns; they are taken for spaces")
    counts = [count_lines(file) for file in files]
    if counts[0] != counts[1]:
        raise Mistake(
            f"{raw}/{part}.* differ in their number of lines: {files[0].name} has"
            f" {counts[0]}, {files[1].name} {counts[1]}; they must be parallel"
        )
    return counts[0]


def _has_carriage_returns(file: Path) -> bool:
    with file.open("rb") as content:
        return any(b"\r" in block for block in iter(lambda: content.read(BLOCK), b""))


def _check_sentences(file: Path) -> None:
    with file.open("rb") as content:
        for number, line in enumerate(content, 1):
            try:
                text = printable(line)
            except UnicodeDecodeError as error:
                raise Mistake(
                    f"{file} line {number} is not UTF-8 text; mend it"
                ) from error
            if not text.strip():
                raise Mistake(
                    f"{file} line {number} is empty; take the pair out on both sides"
                )
