"""The public pre-processed Gigaword pairs, under the names that they go by."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from alone_experiments.corpora.given_text import find
from alone_experiments.mistakes import Mistake

Names = tuple[str, str]
# Article and title of each part: harvardnlp/sent-summary's names, then others'.
NAMES: dict[str, list[Names]] = {
    "train": [
        ("train.article.txt", "train.title.txt"),
        ("train.src.txt", "train.tgt.txt"),
    ],
    "valid": [
        ("valid.article.filter.txt", "valid.title.filter.txt"),
        ("valid.article.txt", "valid.title.txt"),
        ("dev.src.txt", "dev.tgt.txt"),
    ],
    "test": [
        ("input.txt", "task1_ref0.txt"),
        ("test.article.txt", "test.title.txt"),
        ("test.src.txt", "test.tgt.txt"),
    ],
}
FOLDERS = (".", "train", "Giga", "giga", "org_data", "sumdata/train", "sumdata/Giga")


@dataclass(frozen=True)
class PairFiles:
    """The files of one part.

    Attributes:
        article: Sources, one a line.
        title: Titles, line by line.
    """

    article: Path
    title: Path


def find_part(folder: Path, part: str) -> PairFiles | None:
    """Find the files of ``train``, ``valid`` or ``test``.

    Args:
        folder: Where they are, or the folder of their folders.
        part: Which.

    Returns:
        The two files, or ``None`` where there is neither.

    Raises:
        Mistake: If only one of the two is there.
    """
    for names in NAMES[part]:
        for place in FOLDERS:
            found = [find(folder / place, name) for name in names]
            if found[0] and found[1]:
                return PairFiles(found[0], found[1])
            if found[0] or found[1]:
                missing = names[found.index(None)]
                raise Mistake(f"{folder / place} has no {missing} or {missing}.gz")
    return None


def find_all(folder: Path) -> dict[str, PairFiles]:
    """Find all three parts.

    Raises:
        Mistake: If a part is missing; it tells the names that are expected.
    """
    parts = {part: find_part(folder, part) for part in NAMES}
    for part, files in parts.items():
        if files is None:
            names = " or ".join(" and ".join(pair) for pair in NAMES[part])
            raise Mistake(
                f"{folder} has no {part} pairs: it needs {names} (or with .gz), there"
                f" or in one of its folders {', '.join(FOLDERS[1:])}"
            )
    return {part: files for part, files in parts.items() if files}
