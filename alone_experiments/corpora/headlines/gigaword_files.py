"""The monthly files of Annotated Gigaword: which part each is for, and its pairs.

Each file's pairs are kept in a folder of their own until all are there, so that an
interrupted run loses one file's work.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tqdm import tqdm

from alone_experiments.corpora.description import PARTS
from alone_experiments.corpora.given_text import text_lines
from alone_experiments.corpora.headlines.annotated_gigaword import Counts, pairs
from alone_experiments.corpora.parallel import ordered_map
from alone_experiments.lines import write_parallel
from alone_experiments.mistakes import Mistake

# 47 of 998 files each, as many as published.
_SHARE = 47 / 998


def month(path: Path | str) -> str:
    """Return the name of a monthly file without its endings: ``afp_eng_199405``."""
    return Path(path).name.split(".")[0].lower()


def find_files(folder: Path) -> dict[str, Path]:
    """Find the monthly files.

    Args:
        folder: What the files are below.

    Returns:
        Their paths by month, in order.

    Raises:
        Mistake: If there are none.
    """
    found = {month(path): path for path in sorted(folder.rglob("*.xml*"))}
    if not found:
        raise Mistake(
            f"{folder} has no files *.xml.gz: give the folder of Annotated Gigaword"
            " (LDC2012T21) that holds data/xml, or that of the public pairs"
        )
    return found


def assign(files: dict[str, Path], folder: Path) -> dict[str, list[Path]]:
    """Decide which files are trained, validated and tested on.

    Args:
        files: Paths by month.
        folder: May hold lists of files, one a line, as Rush et al. (2015) publish them:
            ``train.splits``, ``valid.splits`` and ``test.splits``. Without them the
            order of a checksum of the names decides; 47 of 998 are for validation, as
            many for the test.

    Returns:
        Paths by part, in order of their names.

    Raises:
        Mistake: If a list names a file that is not there, or there are under three
            files.
    """
    lists = {part: folder / f"{part}.splits" for part in PARTS}
    if any(path.is_file() for path in lists.values()):
        return {part: _listed(path, files) for part, path in lists.items()}
    if len(files) < len(PARTS):
        raise Mistake(f"{folder} has {len(files)} files; it takes three at least")
    order = sorted(files, key=lambda name: hashlib.sha256(name.encode()).digest())
    held_out = max(1, round(len(files) * _SHARE))
    names = {
        "train": order[2 * held_out :],
        "valid": order[held_out : 2 * held_out],
        "test": order[:held_out],
    }
    return {part: [files[name] for name in sorted(names[part])] for part in PARTS}


def _listed(path: Path, files: dict[str, Path]) -> list[Path]:
    if not path.is_file():
        raise Mistake(f"{path} is missing; the lists of all three parts are needed")
    wanted = [month(line.strip()) for line in text_lines(path) if line.strip()]
    missing = [name for name in wanted if name not in files]
    if missing:
        raise Mistake(
            f"{len(missing)} of the {len(wanted)} files that {path} lists are missing,"
            f" the first is {missing[0]}"
        )
    return [files[name] for name in wanted]


def extract_all(files: list[Path], folder: Path, jobs: int) -> None:
    """Take the pairs out of files, in several processes; what is there is kept.

    Args:
        files: The monthly files.
        folder: Gets one file of tab-separated pairs for each.
        jobs: Number of processes.

    Raises:
        Mistake: If a file is damaged or of another kind; it names the file.
    """
    todo = [path for path in files if not extracted(path, folder).is_file()]
    done = ordered_map(partial(_extract, folder=folder), todo, jobs)
    for _ in tqdm(done, total=len(todo), desc="extracting", unit="file", disable=None):
        pass


def extracted(path: Path, folder: Path) -> Path:
    """Return where the pairs of a monthly file are kept."""
    return folder / f"{month(path)}.tsv"


def _extract(path: Path, folder: Path) -> None:
    def rows() -> Iterator[tuple[str]]:
        counts = Counts()
        for pair in pairs(text_lines(path), counts):
            yield ("\t".join(pair),)
        if counts.documents and not counts.headlines:
            raise Mistake(
                f"{path}: none of its {counts.documents} headlines is a parse tree;"
                " the files of Annotated Gigaword (LDC2012T21) are needed"
            )

    write_parallel([extracted(path, folder)], rows())


def read_extracted(files: list[Path], folder: Path) -> Iterator[tuple[str, str]]:
    """Read the pairs of files back, in order."""
    for path in files:
        for line in text_lines(extracted(path, folder)):
            article, title = line.split("\t")
            yield article, title
