"""The rows of the reconstruction experiment, Figure 3 of Takase and Kobayashi (2020).

A row is ``METHOD_hSIZE``, then ``_frozen`` for a frozen o, ``_decay`` for a learning
rate that falls to nothing or ``_muon`` for Muon with such a rate, and ``_heldout`` to
keep a fifth of the words back. Any size will do, and the rank of a factorised table
follows from it and from the number of words: so rows are computed, not written down.
"""

from __future__ import annotations

import re
from typing import NamedTuple, Self

from alone_experiments.mistakes import Mistake

SIZES = (600, 1200, 1800, 2400)
"""The paper's inner sizes H."""

DIM = 300
"""Size of the word vectors, and of ALONE's base vector."""

METHODS = {
    "alone_real": "ALONE, real",
    "alone_binary": "ALONE, binary",
    "low_rank": "low-rank, equal size",
}
"""Methods, and their names in table and figure."""

TRAININGS = {
    "": [],
    "decay": ["--lr-schedule", "linear"],
    "muon": ["--lr-schedule", "linear", "--optimizer", "adam_muon"],
}
"""Ways to train, the published one first, and their flags."""

_NAME = re.compile(r"([a-z_]+)_h([1-9]\d*)(_frozen)?(?:_(decay|muon))?(_heldout)?")


class ReconstructionRow(NamedTuple):
    """A row of the experiment.

    Attributes:
        method: Key of ``METHODS``.
        size: ALONE's inner size H, or that of the ALONE with as many trained values.
        frozen: Whether ALONE's base vector o stays random.
        held_out: Whether a fifth of the words is kept back.
        training: Key of ``TRAININGS``.
    """

    method: str
    size: int
    frozen: bool = False
    held_out: bool = False
    training: str = ""

    @classmethod
    def parse(cls, name: str) -> Self:
        """Read the name of a row.

        Raises:
            Mistake: If no row is called so.
        """
        found = _NAME.fullmatch(name)
        row = (
            cls(found[1], int(found[2]), bool(found[3]), bool(found[5]), found[4] or "")
            if found
            else None
        )
        if (
            row is None
            or row.method not in METHODS
            or (row.frozen and not row.is_alone)
        ):
            raise Mistake(
                f"no row {name} in the reconstruction experiment; rows are as"
                " alone_real_h600, alone_binary_h2400_frozen, low_rank_h600"
            )
        return row

    @property
    def is_alone(self) -> bool:
        """Whether it has filters and a base vector."""
        return self.method.startswith("alone")

    @property
    def name(self) -> str:
        """Name of the row, such as ``alone_real_h600_frozen``."""
        ends = ["_frozen"] if self.frozen else []
        ends += [f"_{self.training}"] if self.training else []
        ends += ["_heldout"] if self.held_out else []
        return f"{self.method}_h{self.size}{''.join(ends)}"

    @property
    def label(self) -> str:
        """Name of its line in the figure, which has the inner size on its axis."""
        training = {"": "", "decay": ", falling rate", "muon": ", Muon"}[self.training]
        return METHODS[self.method] + (", o frozen" if self.frozen else "") + training

    def flags(self, words: int) -> list[str]:
        """Make the flags of ``alone-fairseq reconstruct``.

        Args:
            words: Number of words that are fitted.

        Returns:
            Flags and values, one argument an element.
        """
        if self.is_alone:
            kind = self.method.removeprefix("alone_")
            flags = ["--embedding-method", "alone", "--alone-filter", kind]
            flags += ["--alone-inter-dim", str(self.size)]
        else:
            rank = str(equal_rank(self.size, words))
            flags = ["--embedding-method", self.method, "--low-rank-dim", rank]
        flags += ["--alone-freeze-base"] if self.frozen else []
        flags += TRAININGS[self.training]
        return flags + (["--hold-out", "0.2"] if self.held_out else [])


def equal_rank(size: int, words: int) -> int:
    """Compute the rank r with r (V + D) closest to ALONE's D + 2 D H values.

    Args:
        size: Inner size H.
        words: Vocabulary size V.

    Returns:
        The rank, rounded.
    """
    both = words + DIM
    return (DIM + 2 * DIM * size + both // 2) // both


def all_rows() -> list[ReconstructionRow]:
    """List the rows of the figure, then those with words kept back."""
    rows = [
        row
        for size in SIZES
        for row in (
            ReconstructionRow("alone_real", size),
            ReconstructionRow("alone_real", size, frozen=True),
            ReconstructionRow("alone_binary", size),
            ReconstructionRow("alone_binary", size, frozen=True),
            ReconstructionRow("low_rank", size),
        )
    ]
    return rows + held_out_rows()


def held_out_rows() -> list[ReconstructionRow]:
    """List a row of each method that keeps words back."""
    return [ReconstructionRow(method, SIZES[-1], held_out=True) for method in METHODS]


def part_runs() -> list[tuple[ReconstructionRow, int]]:
    """List rows and seeds of the smaller part, which has the longest last."""
    runs = []
    for size in (SIZES[0], SIZES[-1]):
        for method in METHODS:
            row = ReconstructionRow(method, size)
            runs += [(row, 1), (row, 2)]
            runs += [(row._replace(frozen=True), 1)] if row.is_alone else []
    return runs + [(row, 1) for row in held_out_rows()]
