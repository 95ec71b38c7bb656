"""Tables of the sizes of compositional codes, for the pages."""

from __future__ import annotations

from pathlib import Path

from alone_experiments.codes.shapes import Shape
from alone_experiments.codes.sizes import (
    HEAD,
    PUBLISHED_DIM,
    PUBLISHED_WORDS,
    TABLE_3,
    mib,
    size_of,
    size_rows,
)
from alone_experiments.results.code_tables import rows

GRID = (8, 16, 32, 64)


def code_sizes(root: Path) -> str:
    """List the sizes of Table 3 of Shu and Nakayama (2018)."""
    del root
    return rows(HEAD, size_rows(TABLE_3, PUBLISHED_WORDS, PUBLISHED_DIM))


def code_grid(root: Path) -> str:
    """List the sizes of their Table 2, K by M, in MiB."""
    del root
    found = []
    for values in GRID:
        shapes = [Shape(codebooks, values) for codebooks in GRID]
        sizes = [size_of(shape, PUBLISHED_WORDS, PUBLISHED_DIM) for shape in shapes]
        found.append((f"K = {values}", *(mib(size.bytes) for size in sizes)))
    return rows(("MiB", *(f"M = {codebooks}" for codebooks in GRID)), found)
