"""What compositional codes cost in memory: Shu and Nakayama (2018), Tables 2 and 3.

``M K D`` values of 4 bytes and ``M log2 K`` bits a word. The paper counts in MiB and
cuts off what follows the second decimal.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from math import floor

from alone_experiments.arguments import whole_number
from alone_experiments.codes.shapes import Shape, shapes

MIB = 2**20
PUBLISHED_WORDS, PUBLISHED_DIM = 75_102, 300
TABLE_3 = shapes("8x8,8x16,16x8,8x64,16x32,32x16,64x8")


@dataclass(frozen=True)
class Size:
    """Memory of codes and codewords, and that of a table of vectors.

    Attributes:
        values: Values of all codewords, ``M K D``.
        codeword_bytes: Their bytes in fp32.
        code_bits: Bits of a word's codes.
        code_bytes: Bytes of all words' codes, packed without gaps.
        table_bytes: Bytes of the vectors that they stand for, in fp32.
    """

    values: int
    codeword_bytes: int
    code_bits: int
    code_bytes: int
    table_bytes: int

    @property
    def bytes(self) -> int:
        """Bytes of codes and codewords."""
        return self.codeword_bytes + self.code_bytes


def size_of(shape: Shape, words: int, dim: int) -> Size:
    """Count what codes of ``words`` words with vectors of ``dim`` values take."""
    values = shape.codewords * dim
    code_bytes = -(-words * shape.word_bits // 8)
    return Size(values, 4 * values, shape.word_bits, code_bytes, 4 * words * dim)


def mib(count: int) -> str:
    """Write bytes in MiB as the paper does: two decimals, the rest cut off."""
    return f"{floor(100 * count / MIB) / 100:.2f}"


def size_rows(chosen: list[Shape], words: int, dim: int) -> list[tuple[str, ...]]:
    """Make the rows of Table 3's sizes, the table of vectors first.

    Returns:
        Coding, number of vectors, their size, bits of a code, size of all codes, total
        size in MiB, and what is saved.
    """
    table = 4 * words * dim
    rows: list[tuple[str, ...]] = [
        ("table of vectors", f"{words:,}", mib(table), "", "", mib(table), "")
    ]
    for shape in chosen:
        size = size_of(shape, words, dim)
        saved = floor(1000 * (1 - size.bytes / size.table_bytes)) / 10
        rows.append(
            (
                *(str(shape), f"{shape.codewords:,}", mib(size.codeword_bytes)),
                *(str(size.code_bits), mib(size.code_bytes), mib(size.bytes)),
                f"{saved:.1f} %",
            )
        )
    return rows


HEAD = ("coding", "vectors", "MiB", "bits a word", "MiB of codes", "MiB", "saved")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments; their defaults give the paper's numbers."""
    add = parser.add_argument
    number = whole_number(1)
    add(
        "--codes",
        type=shapes,
        default=TABLE_3,
        metavar="MxK,…",
        help="sizes of codes [those of Table 3]",
    )
    add("--vocabulary", type=number, default=PUBLISHED_WORDS, help="[%(default)s]")
    add("--dim", type=number, default=PUBLISHED_DIM, help="[%(default)s]")


def run(args: argparse.Namespace) -> None:
    """Print the sizes."""
    rows = [HEAD, *size_rows(args.codes, args.vocabulary, args.dim)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *numbers in rows:
        cells = [f"{x:>{w}}" for x, w in zip(numbers, widths[1:], strict=True)]
        print("  ".join([f"{name:<{widths[0]}}", *cells]).rstrip())
