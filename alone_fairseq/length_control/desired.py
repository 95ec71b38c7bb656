"""The lengths that a user asks for: read from flags, files and typed lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import AloneError

GOLD = "gold"
_UNIT = "a whole number of target tokens, end of sentence not counted, from 1"


def parse_length(text: str, where: str) -> int:
    """Read one length.

    Args:
        text: What the user wrote.
        where: Flag, or file and line, that the error names.

    Returns:
        The length, from 1; the end of sentence is not counted.

    Raises:
        AloneError: If it is no whole number from 1, or has more than 18 digits.
    """
    if not re.fullmatch("[0-9]{1,18}", text) or int(text) < 1:
        raise AloneError(f"{where}: a desired length is {_UNIT}, not {text!r}")
    return int(text)


@dataclass(frozen=True)
class DesiredLengths:
    """What ``--desired-length`` and ``--desired-lengths`` ask for.

    Attributes:
        gold: Whether each sentence gets the length of its reference.
        same: Length of all sentences, without the end of sentence.
        each: Length of each sentence in the order of the data set, likewise.
        file: Where ``each`` was read from.
    """

    gold: bool = False
    same: int | None = None
    each: tuple[int, ...] | None = None
    file: str | None = None

    @classmethod
    def from_options(cls, length: str | None, file: str | None) -> DesiredLengths:
        """Read both options.

        Args:
            length: Value of ``--desired-length``: a number or ``gold``.
            file: Value of ``--desired-lengths``, a file with a number a line.

        Raises:
            AloneError: If both are given, or one cannot be understood.
        """
        if length is not None and file is not None:
            raise AloneError(
                "--desired-length (one for all) and --desired-lengths (a file, one a"
                " sentence) exclude each other: remove one"
            )
        if file is not None:
            return cls(each=_read_lengths(file), file=file)
        if length is None or length == GOLD:
            return cls(gold=length == GOLD)
        where = (
            f"--desired-length (or '{GOLD}', or --desired-lengths FILE for one a"
            " sentence)"
        )
        return cls(same=parse_length(length, where))

    @property
    def missing(self) -> bool:
        """Whether neither option was given."""
        return not self.gold and self.same is None and self.each is None

    def check_number(self, sentences: int, split: str) -> None:
        """Check that there is one length for each sentence of a data set.

        Args:
            sentences: Its number of sentences.
            split: Its name.

        Raises:
            AloneError: If the numbers differ.
        """
        if self.each is not None and len(self.each) != sentences:
            raise AloneError(
                f"{self.file} has {len(self.each)} lengths for the {sentences}"
                f" sentences of '{split}': give one a line, in the order of the data"
            )

    def check_longest(self, longest: int | None) -> None:
        """Check that outputs can be as long as asked for.

        Args:
            longest: Most tokens that generation can write; ``None`` if it depends on
                the source.

        Raises:
            AloneError: If a length is above it.
        """
        if self.same is not None:
            refuse_longer(self.same, longest, "--desired-length")
        for number, length in enumerate(self.each or (), start=1):
            refuse_longer(length, longest, f"{self.file} line {number}")


def refuse_longer(length: int, longest: int | None, where: str) -> None:
    """Refuse a length that generation would cut.

    Args:
        length: Desired length without the end of sentence.
        longest: Most tokens that generation can write; ``None`` for no limit.
        where: Flag, or file and line, that the error names.

    Raises:
        AloneError: If the length is above the limit.
    """
    if longest is not None and length > longest:
        raise AloneError(
            f"{where}: desired length {length} is above the {longest} tokens that"
            f" generation can write: give --max-len-b {length}; above the model's"
            " positions, also --model-overrides \"{'max_target_positions': N}\""
        )


def split_lines(
    lines: Sequence[str], first: int, default: int | None, longest: int | None
) -> tuple[list[str], list[int]]:
    r"""Split typed lines into text and desired length.

    Args:
        lines: Lines ``text`` or ``text\tlength``.
        first: Number of the first line, for errors.
        default: Length of a line that has none.
        longest: Most tokens that generation can write; ``None`` for no limit.

    Returns:
        Texts, and lengths without the end of sentence.

    Raises:
        AloneError: If a line has no length and there is no default, or the length
            cannot be understood.
    """
    texts, lengths = [], []
    for number, line in enumerate(lines, start=first):
        text, tab, written = line.rpartition("\t")
        where = f"line {number} of the input"
        if tab:
            length = parse_length(written.strip(), f"{where}, after the tab")
        elif default is not None:
            text, length = line, default
        else:
            raise AloneError(
                f"{where} has no desired length: put a tab and a number after it, or"
                " give --desired-length N for all lines"
            )
        refuse_longer(length, longest, where)
        texts.append(text)
        lengths.append(length)
    return texts, lengths


def _read_lengths(file: str) -> tuple[int, ...]:
    try:
        lines = Path(file).read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise AloneError(f"--desired-lengths: cannot read {file}: {error}") from error
    if lines[-1] == "":
        lines.pop()
    return tuple(
        parse_length(line.strip(), f"{file} line {number}")
        for number, line in enumerate(lines, start=1)
    )
