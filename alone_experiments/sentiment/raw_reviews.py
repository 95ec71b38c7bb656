"""The Large Movie Review Dataset (Maas et al., 2011), as it is given out.

Its makers give out a folder of text files, ``aclImdb``: ``train/pos/0_9.txt`` is review
0 of the positive ones, rated 9. The same is read as one file a part, ``train.tsv`` or
``train.tsv.gz``, with label, rating, number and text between tabs.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from alone_experiments.lines import stream_lines
from alone_experiments.mistakes import Mistake

PARTS = ("train", "test")
LABELS = ("neg", "pos")
"""A review's label is the place of its name here: 1 for a positive one."""


def read_raw(folder: Path, part: str) -> Iterator[tuple[int, str]]:
    """Read the reviews of a part.

    Args:
        folder: ``aclImdb``, or a folder with ``train.tsv.gz`` and ``test.tsv.gz``.
        part: One of ``PARTS``.

    Yields:
        Label and text, in the order of their labels and numbers in ``aclImdb``, in that
        of the file otherwise.

    Raises:
        Mistake: If they are not there or damaged; the line names the file.
    """
    for name in (f"{part}.tsv", f"{part}.tsv.gz"):
        if (folder / name).is_file():
            yield from _read_file(folder / name)
            return
    if not all((folder / part / label).is_dir() for label in LABELS):
        raise Mistake(
            f"{folder}: has neither {part}.tsv, {part}.tsv.gz nor the folders"
            f" {part}/neg and {part}/pos: unpack the data set and name its folder"
            " aclImdb"
        )
    for number, label in enumerate(LABELS):
        files = (folder / part / label).glob("*.txt")
        for file in sorted(files, key=_number):
            yield number, _read_text(file)


def files_of(folder: Path) -> list[Path]:
    """List the files of all parts, in a fixed order; empty where there are none."""
    single = [folder / f"{part}.tsv{end}" for part in PARTS for end in ("", ".gz")]
    texts = [
        file
        for part in PARTS
        for label in LABELS
        for file in sorted((folder / part / label).glob("*.txt"), key=_number)
    ]
    return [file for file in single if file.is_file()] or texts


def _number(file: Path) -> tuple[int, str]:
    number = file.name.partition("_")[0]
    return (int(number) if number.isdecimal() else 0), file.name


def _read_text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Mistake(f"{file}: cannot be read: {error}") from None


def _read_file(file: Path) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(stream_lines(file, "\r\n"), start=1):
        fields = line.split("\t", 3)
        if len(fields) < 4 or fields[0] not in LABELS:
            raise Mistake(
                f"{file}, line {number}: must be neg or pos, rating, number and text,"
                " separated by tabs"
            )
        yield LABELS.index(fields[0]), fields[3]
