"""Two parallel text files of the user's as training, validation and test sets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from alone_experiments.corpora.description import PARTS
from alone_experiments.corpora.given_text import parallel_lines
from alone_experiments.corpora.headlines import near_duplicates, splits
from alone_experiments.corpora.headlines.near_duplicates import Pair
from alone_experiments.corpora.job import Job
from alone_experiments.files import UNFINISHED, refuse_to_replace, write_text
from alone_experiments.lines import sha256, write_parallel
from alone_experiments.mistakes import Mistake
from alone_experiments.repository import output_folder
from alone_experiments.steps import made_by

MOST = 1000
"""Pairs that are at most taken to validate on and to test on, unless the user says."""

SHARE = 20
"""Of fewer pairs, one in so many is taken."""

_LANGUAGE = re.compile("[a-z]{2,3}")


def words_for(first: Path, second: Path, rest: Sequence[str]) -> list[str]:
    """Complete a command line that begins with two files.

    Args:
        first: Text of the source; its ending is the language, as in ``captions.en``.
        second: Text of the target.
        rest: What follows on the command line; options there win.

    Returns:
        Options of ``own_translation``.

    Raises:
        Mistake: If a file is missing, or its language is not known.
    """
    words = ["--texts", str(first), str(second)]
    for side, file in (("--source", first), ("--target", second)):
        if not file.is_file():
            raise Mistake(f"no file {file}: name the source text, then the target text")
        language = file.name.removesuffix(".gz").rpartition(".")[2]
        if _LANGUAGE.fullmatch(language) and language != "txt":
            words += [side, language]
        elif not any(word.partition("=")[0] == side for word in rest):
            raise Mistake(
                f"{file} does not end in a language, as captions.en does: add {side}"
                " LANG"
            )
    stems = [
        file.name.removesuffix(".gz").rpartition(".")[0] for file in (first, second)
    ]
    name = "-".join(dict.fromkeys(stem or "text" for stem in stems))
    return [*words, "--output", str(output_folder() / "data" / name), *rest]


def write_raw(job: Job) -> None:
    """Split the two files, unless that is done.

    Raises:
        Mistake: If the files are damaged, not parallel, or too few pairs; or if the
            languages are the same.
    """
    languages = (job.settings.source, job.settings.target)
    if languages[0] == languages[1]:
        raise Mistake(
            f"source and target are both {languages[0]}: add --source LANG or --target"
            " LANG, any two different names"
        )
    given: list[Path] = job.settings.texts
    files = [job.raw / f"{part}.{side}" for part in PARTS for side in languages]
    refuse_to_replace(given, files)
    # What a kill left behind is no language.
    endings = {file.suffix for file in job.raw.glob("train.*")} - {UNFINISHED}
    there = {ending[1:] for ending in endings} - {*languages}
    if there:
        raise Mistake(
            f"{job.raw}: holds a corpus of {' and '.join(sorted(there))} too: name"
            " another folder with --output, or remove that"
        )
    wanted = (job.settings.valid_pairs, job.settings.test_pairs)

    def make() -> None:
        pairs, empty = read_pairs(given)
        done = split(pairs, *wanted)
        for part, found in done.parts.items():
            write_parallel([job.raw / f"{part}.{side}" for side in languages], found)
        report = [f"{len(pairs)} pairs; {empty} more have an empty side: left out"]
        write_text(job.report, "\n".join([*report, *done.report()]) + "\n")

    depends = {
        "given": [sha256(file) for file in given],
        "settings": [*languages, *wanted],
        "by": made_by(near_duplicates, splits),
    }
    message = f"splitting {given[0]} and {given[1]}"
    job.steps.run("raw", files, depends, make, message)


def read_pairs(given: Sequence[Path]) -> tuple[list[Pair], int]:
    """Read the pairs of two files.

    Args:
        given: Source and target.

    Returns:
        The pairs that have text on both sides, and how many have not.

    Raises:
        Mistake: If a file is damaged or not UTF-8, or they are not parallel.
    """
    pairs, empty = [], 0
    for source, target in parallel_lines(given, progress=True):
        if source.strip() and target.strip():
            pairs.append((source, target))
        else:
            empty += 1
    return pairs, empty


def split(pairs: Sequence[Pair], valid: int | None, test: int | None) -> splits.Splits:
    """Split pairs as corpora of headlines are split.

    Args:
        pairs: Source and target of each.
        valid: Size of the validation set; ``None`` for a usual one.
        test: The same of the test set.

    Returns:
        The sets; no pair of one is a near-duplicate of a pair of another.

    Raises:
        Mistake: If there are too few pairs.
    """
    usual = max(1, min(MOST, len(pairs) // SHARE))
    valid = usual if valid is None else valid
    test = usual if test is None else test
    if 0 in (valid, test):
        raise Mistake("--valid-pairs and --test-pairs must be at least 1")
    remedy = "give more, or lower --valid-pairs and --test-pairs"
    done = splits.split(pairs, valid, test, remedy)
    done.left_out = {
        part: Counter(
            {why.replace("title", "target"): count for why, count in reasons.items()}
        )
        for part, reasons in done.left_out.items()
    }
    return done
