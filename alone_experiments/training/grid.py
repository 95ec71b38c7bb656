"""Grids of settings, and the trials that they make of rows."""

from __future__ import annotations

import argparse
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from alone_experiments.mistakes import Mistake
from alone_experiments.training.experiment import Row, flag_value

ON = "on"
"""What stands for the value of a flag that takes none."""

_SETTINGS = re.compile(r"(?P<flag>[a-z][a-z0-9-]*)=(?P<values>[^,\s]+(,[^,\s]+)*)")


@dataclass(frozen=True)
class Trial:
    """A row with one setting of the grid.

    Attributes:
        row: The row.
        seed: Of weights, dropout and order.
        flags: Name of a flag, without hyphens before it, and its value, one a line of
            the grid.
    """

    row: Row
    seed: int
    flags: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        """Name of its folder and record, such as ``lookup--lr0.01--seed1``."""
        setting = "".join(f"--{flag}{value}" for flag, value in self.flags)
        return f"{self.row.name}{setting}--seed{self.seed}".replace("/", "_")

    def words(self) -> list[str]:
        """Give the flags as a command has them, one argument an element."""
        return [
            word
            for name, value in self.flags
            for word in (f"--{name}", *([] if value == ON else [value]))
        ]

    def is_the_rows(self) -> bool:
        """Whether the row and its recipe say the same."""
        own = [*self.row.recipe(), *self.row.flags()]
        return all(
            f"--{name}" in own if value == ON else flag_value(f"--{name}", own) == value
            for name, value in self.flags
        )


def settings(text: str) -> tuple[str, tuple[str, ...]]:
    """Read a line of the grid, ``FLAG=VALUE,...``, or ``FLAG=on`` of a switch.

    Raises:
        argparse.ArgumentTypeError: If it is none.
    """
    found = _SETTINGS.fullmatch(text.removeprefix("--"))
    if found is None:
        raise argparse.ArgumentTypeError(
            f"must be a flag of fairseq-train and values, lr=0.005,0.01, not {text}"
        )
    values = tuple(dict.fromkeys(found["values"].split(",")))
    if ON in values and len(values) > 1:
        raise argparse.ArgumentTypeError(
            f"must be {found['flag']}={ON} alone, which gives a flag that takes no"
            f" value, not {text}: the row itself is the trial without it"
        )
    return found["flag"], values


def trials(
    rows: Sequence[Row], seed: int, grid: Sequence[tuple[str, Sequence[str]]]
) -> Iterator[Trial]:
    """Make the trials of a grid.

    Args:
        rows: Each is tried with all settings.
        seed: Of all trials.
        grid: Flags and their values.

    Yields:
        One trial a row and combination of values, the last flag changing first.

    Raises:
        Mistake: If a flag is named twice.
    """
    names = [flag for flag, _ in grid]
    for flag in names:
        if names.count(flag) > 1:
            raise Mistake(f"--grid {flag}=... is there twice: put its values together")
    for row in rows:
        for values in itertools.product(*(values for _, values in grid)):
            yield Trial(row, seed, tuple(zip(names, values, strict=True)))
