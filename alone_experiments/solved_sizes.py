"""``params --share``: which size of each method takes no more than is wanted."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from fractions import Fraction

from alone_experiments.arguments import whole_number
from alone_experiments.mistakes import Mistake
from alone_fairseq.embeddings import CONFIGS, EMBEDDINGS, TableSize
from alone_fairseq.embeddings.free_size import largest, lookup_values, measure_tables
from alone_fairseq.embeddings.options import flag_of, share_of
from alone_fairseq.footprint import Footprint

Row = tuple[str, str, Footprint | None]
"""Name of a method, the flag with its size, and what it takes then."""


def add_wanted_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of which one says how much an embedding may take."""
    group = parser.add_argument_group(
        "solve for a size",
        "instead of --alone-inter-dim, --low-rank-dim and their like",
    )
    which = group.add_mutually_exclusive_group()
    which.add_argument(
        "--share", metavar="S", help="trained values, as a share of look-up's"
    )
    number = whole_number(1)
    which.add_argument("--values", type=number, metavar="N", help="trained values")
    which.add_argument("--bytes", type=number, metavar="N", help="stored bytes, fp32")


def wanted(
    args: argparse.Namespace, tables: Sequence[TableSize]
) -> Callable[[Footprint], bool] | None:
    """Tell what fits into the size that the command line asks for.

    Args:
        args: What :func:`add_wanted_arguments` reads.
        tables: Sizes of the embeddings.

    Returns:
        A function, ``None`` where no size is asked for.

    Raises:
        Mistake: If the share makes no sense.
    """
    if args.share is not None:
        share = share_of(args.share)
        if not 0 < share <= 1:
            raise Mistake(f"--share must be above 0 and at most 1, not {args.share}")
        return _within("trained_values", share * lookup_values(tables))
    if args.values is not None:
        return _within("trained_values", args.values)
    if args.bytes is not None:
        return _within("stored_bytes", args.bytes)
    return None


def _within(what: str, limit: int | Fraction) -> Callable[[Footprint], bool]:
    return lambda size: getattr(size, what) <= limit


def refuse_given_sizes(methods: Sequence[str], args: argparse.Namespace) -> None:
    """Refuse a size on the command line that is going to be solved for.

    Args:
        methods: Registered embedding methods.
        args: Their options.

    Raises:
        Mistake: If there is one.
    """
    for name in methods:
        config = CONFIGS[name].from_namespace(args)
        option = config.free_size()
        if option and getattr(config, option) != getattr(type(config), option):
            raise Mistake(
                f"{flag_of(option)} is what a size is solved for: remove it, or"
                " --share, --values or --bytes"
            )


def solve(
    methods: Sequence[str],
    args: argparse.Namespace,
    tables: Sequence[TableSize],
    fits: Callable[[Footprint], bool],
) -> list[Row]:
    """Solve for the free size of methods.

    Args:
        methods: Registered embedding methods.
        args: Their options.
        tables: Sizes of the embeddings.
        fits: What :func:`wanted` gave.

    Returns:
        A row a method; one without a free size has its only size.
    """
    return [_solve(name, args, tables, fits) for name in methods]


def _solve(
    name: str,
    args: argparse.Namespace,
    tables: Sequence[TableSize],
    fits: Callable[[Footprint], bool],
) -> Row:
    method, config = EMBEDDINGS[name], CONFIGS[name].from_namespace(args)
    option = config.free_size()
    if option is None:
        return name, "no size to choose", measure_tables(method, config, tables)
    found = largest(method, config, tables, fits)
    if found is None:
        return name, f"no {flag_of(option)} is small enough", None
    size = f"{flag_of(option)} {getattr(found, option)}"
    return name, size, measure_tables(method, found, tables)
