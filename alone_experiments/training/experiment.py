"""Experiments: folders of files with one flag a line, one file a row of their table."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from alone_experiments.lines import read_lines
from alone_experiments.mistakes import Mistake
from alone_experiments.repository import ROOT, folder_of_checkout, output_folder

BASELINE = "lookup"
"""The row that all others of its experiment are measured by, where there is one."""

RECIPES = "recipes/"
"""What the names of recipes for corpora of a user's begin with."""

_NO_ROW = re.compile(r"recipe|average|generate|score|headlines(_.*)?")
_CORPUS = re.compile(r"^# Corpus: (\S+)$", re.MULTILINE)
_COMPARED = re.compile(r"^# Compared with: (.+)$", re.MULTILINE)
_START = re.compile(r"^# Starts from (\S+): (.+)$", re.MULTILINE)
_COMPARISON = re.compile(r"(\S+)(?: \((.+)\))?")


@dataclass(frozen=True)
class Comparison:
    """A row that another one names in its header, to be compared with.

    Attributes:
        row: Name of the row.
        label: What it is to the other, for readers of tables.
    """

    row: str
    label: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``ROW (LABEL)``, where the label may be left out.

        Raises:
            Mistake: If it is none.
        """
        found = _COMPARISON.fullmatch(text)
        if found is None:
            raise Mistake(f"'{text}' names no row to compare with: write ROW (LABEL)")
        return cls(found[1], found[2] or found[1])


@dataclass(frozen=True)
class Start:
    """What is made of another row's trained model before a row is trained.

    Attributes:
        row: Name of the other row.
        command: The command of ``alone-fairseq`` that makes it of a checkpoint, such as
            ``codes learn --codes 32x16``, one argument an element.
    """

    row: str
    command: list[str]


@dataclass(frozen=True)
class Row:
    """A row of an experiment: one embedding, trained by the experiment's recipe.

    Attributes:
        file: Its flags, such as ``configs/toy/alone_real.flags``.
    """

    file: Path

    @property
    def name(self) -> str:
        """Name of the row, such as ``alone_real``."""
        return self.file.stem

    @property
    def folder(self) -> Path:
        """Folder of the experiment, with its recipe and its other settings."""
        return self.file.parent

    @property
    def experiment(self) -> str:
        """Name of the experiment, such as ``toy`` or ``recipes/small``."""
        name = self.folder.resolve().name
        return f"{RECIPES}{name}" if self.folder.parent.name == RECIPES[:-1] else name

    def flags(self) -> list[str]:
        """Read what the row adds to the recipe, one argument an element."""
        return read_flags(self.file)

    def recipe(self) -> list[str]:
        """Read what all rows of the experiment share, one argument an element."""
        return read_flags(self.folder / "recipe.flags")

    def header(self) -> str:
        """Read the whole file, empty without one; comments say what the paper has."""
        return self.file.read_text(encoding="utf-8") if self.file.exists() else ""

    def comparisons(self) -> list[Comparison]:
        """Read the lines ``# Compared with: ROW (LABEL)``, where LABEL is optional."""
        return [*map(Comparison.parse, _COMPARED.findall(self.header()))]

    def start(self) -> Start | None:
        """Read the line ``# Starts from ROW: COMMAND``, if there is one.

        What the command makes is in the folder of the run, which flags call ``RUN/``:
        ``start.pt``, an embedding, and ``start.model.pt``, the other row's model with
        that in it.
        """
        found = _START.search(self.header())
        return Start(found[1], shlex.split(found[2])) if found else None


def read_flags(file: Path) -> list[str]:
    """Read a file of flags.

    Args:
        file: A line is a flag, or a flag, blanks and its value as it stands; ``#``
            starts a comment line.

    Returns:
        Flags and values as a command has them, one argument an element.

    Raises:
        Mistake: If the file is missing, or a line is no flag.
    """
    words = []
    for number, line in enumerate(map(str.strip, read_lines(file)), start=1):
        if not line or line.startswith("#"):
            continue
        if not line.startswith("--"):
            raise Mistake(
                f"{file} line {number} is no flag: {line}; write --flag value"
            )
        if " #" in line:
            raise Mistake(f"{file} line {number}: give the comment a line of its own")
        words += line.split(maxsplit=1)
    return words


def flag_value(flag: str, words: Sequence[str]) -> str | None:
    """Find the value of a flag in a command, the last one if it is given twice.

    Args:
        flag: Such as ``--max-update``.
        words: The command, one argument an element.

    Returns:
        The value; ``None`` without the flag.
    """
    found = None
    for word, following in zip(words, [*words, ""][1:], strict=True):
        if word == flag:
            found = following
        elif word.startswith(f"{flag}="):
            found = word.removeprefix(f"{flag}=")
    return found


def last_values(words: Sequence[str]) -> dict[str, list[str]]:
    """Read all flags of a command.

    Args:
        words: The command, one argument an element.

    Returns:
        The values of each flag, none of one that takes none; those that come last.
    """
    found: dict[str, list[str]] = {}
    flag = ""
    for word in words:
        if word.startswith("--"):
            flag, equals, value = word.partition("=")
            found[flag] = [value] if equals else []
        elif flag:
            found[flag].append(word)
    return found


def data_folder(folder: Path) -> Path:
    """Find the folder of the prepared corpus of an experiment.

    Args:
        folder: Folder of the experiment. Its recipe has a line ``# Corpus: NAME`` where
            the corpus has another name.

    Returns:
        The folder of the corpus; that of the experiment's name, if there is one from
        before the corpus was shared.
    """
    name, data = folder.resolve().name, output_folder() / "data"
    recipe = folder / "recipe.flags"
    named = _CORPUS.search(recipe.read_text(encoding="utf-8"))
    if named is None or (data / name / "prepared").is_file():
        return data / name
    return data / named[1]


def preparing_script(folder: Path) -> str:
    """Name the script that prepares the corpus of an experiment.

    Args:
        folder: Folder of the experiment.

    Returns:
        Its own in ``data-prep/``, that of its corpus where it has none.
    """
    own = f"data-prep/{folder.resolve().name}.sh"
    if (ROOT / own).is_file():
        return own
    return f"data-prep/{data_folder(folder).name}.sh"


def test_corpora(folder: Path) -> list[str]:
    """Name the corpora that an experiment is tested on beside its own.

    Args:
        folder: Folder of the experiment. Its files ``headlines*.flags`` name them.
    """
    sets = [read_flags(file) for file in sorted(folder.glob("headlines*.flags"))]
    return [*filter(None, (flag_value("--test-data", flags) for flags in sets))]


def takes(folder: Path, flag: str) -> bool:
    """Whether the header of an experiment's recipe has a flag of ``reproduce``."""
    recipe = (folder / "recipe.flags").read_text(encoding="utf-8")
    return any(flag in line for line in recipe.splitlines() if line.startswith("#"))


def experiments() -> list[str]:
    """Name all experiments of configs/."""
    folder = folder_of_checkout("configs")
    return sorted(file.parent.name for file in folder.glob("*/recipe.flags"))


def rows_of(folder: Path) -> list[str]:
    """Name the rows of an experiment.

    Args:
        folder: Its folder, such as ``configs/toy``.

    Returns:
        The names in their order, but look-up first.
    """
    names = [file.stem for file in folder.glob("*.flags")]
    rows = [name for name in names if not _NO_ROW.fullmatch(name)]
    return sorted(rows, key=lambda name: (name != BASELINE, name))


def find_row(config: str | Path) -> Row:
    """Find the row that a file describes.

    Args:
        config: Such as ``configs/toy/alone_real.flags``.

    Returns:
        The row.

    Raises:
        Mistake: If the file is no row of an experiment.
    """
    row = Row(Path(config))
    if not (row.folder / "recipe.flags").is_file():
        raise Mistake(
            f"{config} is no row of an experiment; name a file such as"
            " configs/toy/lookup.flags"
        )
    known = rows_of(row.folder)
    if row.file.suffix != ".flags" or row.name not in known:
        rows = " ".join(known)
        raise Mistake(f"{config} is no row; the rows of {row.experiment}: {rows}")
    return row
