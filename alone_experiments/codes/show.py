"""The ``codes show`` command: what codes look like.

Shu and Nakayama (2018), section 6: words with their codes (Table 4), groups of words
that share a code (Table 5), and how evenly codes are used (Figure 3).
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np
import numpy.typing as npt

from alone_experiments.arguments import whole_number
from alone_experiments.codes.balance import Balance
from alone_experiments.codes.code_file import PackedCodes
from alone_experiments.codes.sources import add_source_arguments, read_source
from alone_experiments.files import refuse_to_replace
from alone_experiments.mistakes import Mistake


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_source_arguments(parser)
    add = parser.add_argument
    add(
        "words",
        nargs="*",
        help="print these words' codes, and the most similar words'; to be named before"
        " any option",
    )
    add(
        "--count",
        type=whole_number(0),
        default=5,
        metavar="N",
        help="similar words of each [%(default)s]",
    )
    add(
        "--groups",
        type=whole_number(0),
        default=5,
        metavar="N",
        help="print the N largest groups of words that share a code [%(default)s]",
    )
    add(
        "--codebooks",
        type=whole_number(1),
        metavar="N",
        help="let groups share the first N codes only [all]",
    )
    add(
        "--heat-map",
        type=Path,
        metavar="FILE",
        help="draw the share of the words that have each value of each code (PNG)",
    )


def run(args: argparse.Namespace) -> None:
    """Print codes, groups and balance, and draw the heat map."""
    refuse_to_replace([args.codes], [args.heat_map])
    packed = read_source(args)
    rows = {word: row for row, word in enumerate(packed.words)}
    if unknown := [word for word in args.words if word not in rows]:
        raise Mistake(f"{args.codes}: has no word {', '.join(unknown)}")
    codes = packed.codes[packed.specials :]
    balance = Balance.of(codes, packed.shape)
    if args.heat_map:
        from alone_experiments.codes.heat_map import draw

        draw(balance, str(packed.shape), args.heat_map)
    for word in args.words:
        _print_similar(packed, rows[word], args.count)
    _print_groups(packed, args.codebooks or packed.shape.codebooks, args.groups)
    _print_balance(packed, balance)


def write_code(code: npt.NDArray[np.integer], values: int) -> str:
    """Write a code as the paper does: a digit a value where 16 are enough."""
    if values <= 16:
        return " ".join(f"{value:X}" for value in code.tolist())
    width = len(str(values - 1))
    return " ".join(f"{value:{width}}" for value in code.tolist())


def similar(packed: PackedCodes, row: int, count: int) -> list[int]:
    """Find the words whose vectors point the same way, the closest first."""
    vectors = packed.vectors(slice(packed.specials, None))
    lengths = np.linalg.norm(vectors, axis=1)
    own = packed.vectors(np.array([row]))[0]
    cosines = vectors @ own / np.where(lengths > 0, lengths, 1)
    order = (-cosines).argsort(kind="stable") + packed.specials
    return [int(other) for other in order if other != row][:count]


def groups(packed: PackedCodes, codebooks: int) -> list[list[int]]:
    """Put the words together that share their first codes; the largest group first."""
    found: dict[bytes, list[int]] = defaultdict(list)
    for row in range(packed.specials, len(packed.words)):
        found[packed.codes[row, :codebooks].tobytes()].append(row)
    shared = [rows for rows in found.values() if len(rows) > 1]
    return sorted(shared, key=len, reverse=True)


def _print_similar(packed: PackedCodes, row: int, count: int) -> None:
    chosen = [row, *similar(packed, row, count)]
    width = max(len(packed.words[each]) for each in chosen)
    for each in chosen:
        code = write_code(packed.codes[each], packed.shape.values)
        print(f"{packed.words[each]:<{width}}  {code}")
    print()


def _print_groups(packed: PackedCodes, codebooks: int, count: int) -> None:
    found = groups(packed, codebooks)
    for rows in found[:count]:
        code = write_code(packed.codes[rows[0], :codebooks], packed.shape.values)
        words = " ".join(packed.words[row] for row in rows[:10])
        print(f"{code}  {words}{f' … ({len(rows)})' if len(rows) > 10 else ''}")
    together = sum(map(len, found))
    words_in_all = len(packed.words) - packed.specials
    print(f"words that share a code with others: {together:,} of {words_in_all:,}\n")


def _print_balance(packed: PackedCodes, balance: Balance) -> None:
    bits = packed.shape.bits
    print(f"code  largest share  smallest share  unused  entropy, bits of {bits}")
    for book, (shares, entropy) in enumerate(
        zip(balance.shares, balance.entropies(), strict=True)
    ):
        unused = int((shares == 0).sum())
        print(
            f"{book + 1:>4}{shares.max():>15.1%}{shares.min():>16.1%}{unused:>8}"
            f"{entropy:>17.2f}"
        )
    largest, smallest = balance.shares.max(), balance.shares.min()
    print(
        f" all{largest:>15.1%}{smallest:>16.1%}{balance.unused:>8}"
        f"{balance.entropies().mean():>17.2f}"
    )
