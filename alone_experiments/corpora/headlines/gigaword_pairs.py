"""Write the raw pairs of Gigaword: {train,valid,test}.{article,title}, in lower case.

From the public pre-processed pairs where the folder has them, else from the files of
Annotated Gigaword, by the extraction and the filter of Rush et al. (2015).
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from alone_experiments.corpora.description import PARTS
from alone_experiments.corpora.given_text import parallel_lines
from alone_experiments.corpora.headlines import (
    annotated_gigaword,
    digits,
    evenly,
    gigaword_files,
    gigaword_rules,
    public_pairs,
)
from alone_experiments.corpora.headlines.gigaword_rules import clean_title, is_kept
from alone_experiments.corpora.headlines.given_folder import listing
from alone_experiments.corpora.job import Job
from alone_experiments.files import write_text
from alone_experiments.lines import write_parallel
from alone_experiments.mistakes import Mistake, say
from alone_experiments.steps import made_by

Pairs = Iterator[tuple[str, str]]


def public(folder: Path) -> dict[str, Callable[[], Pairs]]:
    """Return a reader for each part of the public pairs.

    The unknown word is ``<unk>`` in their training set and ``UNK`` in their test set:
    in articles it becomes ``<unk>``. Pairs of which either side is empty are left out.
    """
    parts = public_pairs.find_all(folder)

    def reader(files: public_pairs.PairFiles) -> Pairs:
        for article, title in parallel_lines([files.article, files.title], True):
            words, title_words = article.split(), title.split()
            if words and title_words:
                known = ("<unk>" if word == "UNK" else word for word in words)
                yield " ".join(known), " ".join(title_words)

    return {part: partial(reader, files) for part, files in parts.items()}


def annotated(folder: Path, kept: Path, jobs: int) -> dict[str, Callable[[], Pairs]]:
    """Return a reader for each part of Annotated Gigaword, extracted first.

    Training and validation pairs pass the published filter; test pairs need only have
    both sides.
    """
    parts = gigaword_files.assign(gigaword_files.find_files(folder), folder)
    gigaword_files.extract_all(
        [path for paths in parts.values() for path in paths], kept, jobs
    )

    def reader(part: str) -> Pairs:
        for article, title in gigaword_files.read_extracted(parts[part], kept):
            cleaned = clean_title(title)
            if cleaned and (part == "test" or is_kept(article, title)):
                yield article.lower(), cleaned

    return {part: partial(reader, part) for part in parts}


def write(
    readers: dict[str, Callable[[], Pairs]],
    folder: Path,
    masked: bool,
    sizes: dict[str, int],
) -> dict[str, int]:
    """Write all parts and a file ``digits``, which says ``kept`` or ``masked``.

    Args:
        readers: Read the pairs of each part, from the start at each call.
        folder: Where to.
        masked: Whether to write every digit as ``#``.
        sizes: At most so many pairs of a part, spread evenly; 0 for all.

    Returns:
        Number of pairs by part.

    Raises:
        Mistake: If a part has no pair.
    """
    change = digits.mask if masked else str
    seen = False

    def rows(part: str, read: Callable[[], Pairs]) -> Pairs:
        nonlocal seen
        wanted, pair = sizes.get(part, 0), None
        total = sum(1 for _ in read()) if wanted else 0
        for pair in evenly.evenly(read(), total, wanted):
            article, title = map(change, pair)
            seen = seen or digits.has_digit(article) or digits.has_digit(title)
            yield article, title
        if pair is None:
            raise Mistake(f"no {part} pair is left: all are empty or filtered")

    counts = {
        part: write_parallel(
            [folder / f"{part}.{side}" for side in ("article", "title")],
            rows(part, read),
        )
        for part, read in readers.items()
    }
    write_text(folder / "digits", "kept\n" if seen else "masked\n")
    return counts


def write_raw(job: Job) -> None:
    """Write the raw pairs, unless that is done.

    Raises:
        Mistake: If files are missing or damaged, or no pair is left.
    """
    names = [f"{part}.{side}" for part in PARTS for side in ("article", "title")]
    files = [job.raw / name for name in (*names, "digits")]
    given = job.given_folder(files)
    if given is not None:
        settings = job.settings
        depends: dict[str, object] = {
            "given": listing(given),
            "settings": [settings.digits, settings.valid_pairs, settings.test_pairs],
            "by": made_by(annotated_gigaword, digits, evenly, gigaword_files)
            | made_by(gigaword_rules, public_pairs),
        }
        message = f"reading the pairs of {given}"
        job.steps.run(
            "raw", files, depends, lambda: _make(job, given, depends), message
        )
    masked = digits.are_masked(job.folder)
    if masked and job.settings.digits == "keep":
        say("these pairs have no digit: they were masked before; duc2004 will mask too")


def _checksum(depends: dict[str, object]) -> str:
    return hashlib.sha256(json.dumps(depends).encode()).hexdigest()[:16]


def _make(job: Job, given: Path, depends: dict[str, object]) -> None:
    settings = job.settings
    # Named after what the pairs depend on: those of another run must not be used.
    kept = job.folder / f"extracted-{_checksum(depends)}"
    if public_pairs.find_part(given, "train"):
        readers = public(given)
    else:
        readers = annotated(given, kept, settings.jobs)
    sizes = {"valid": settings.valid_pairs, "test": settings.test_pairs}
    counts = write(readers, job.raw, settings.digits == "mask", sizes)
    for folder in job.folder.glob("extracted-*"):
        shutil.rmtree(folder)
    report = ", ".join(f"{part}: {count} pairs" for part, count in counts.items())
    write_text(job.report, f"{report}\n")
