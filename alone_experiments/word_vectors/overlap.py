"""The ``overlap`` command: do two spaces have the same neighbours, and for which words?

Of each word the K nearest neighbours by cosine in one space are compared with those in
the other, and so are its cosines to all other words. Two spaces that have nothing to do
with one another share K / (N - 1) of them by chance.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from alone_experiments.arguments import ascending, whole_number
from alone_experiments.evaluation.word_f1 import bin_of, names_of
from alone_experiments.files import refuse_to_replace, refuse_twice, write_json
from alone_experiments.mistakes import Mistake
from alone_experiments.provenance import origin
from alone_experiments.results.overlap_table import Means, write
from alone_experiments.word_vectors.sources import (
    add_checkpoint_arguments,
    is_torch_file,
    read_source,
    refuse_checkpoint_arguments,
)
from alone_experiments.word_vectors.word_lists import read_word_counts
from alone_experiments.word_vectors.word_vectors import Floats, WordVectors

BINS = (1, 10, 100, 1000, 10000)
COSINES_AT_A_TIME = 2**22
"""Cosines of some words to all others that are in memory at a time, 32 MiB."""

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Overlap:
    """How alike the surroundings of each word are in two spaces.

    Attributes:
        shared: Part of the nearest neighbours that are the same, in [0, 1], ``(N,)``.
        correlation: Pearson's correlation of a word's cosines to all other words, in
            [-1, 1], ``(N,)``; 0 for a vector without a direction.
    """

    shared: Numbers
    correlation: Numbers


def compare(first: Floats, second: Floats, count: int) -> Overlap:
    """Compare two spaces of the same words.

    Args:
        first: Vectors of length 1, ``(N, D)``.
        second: Vectors of length 1 of the same words, ``(N, D')``.
        count: Neighbours K, less than N.

    Returns:
        Two numbers a word; a word is no neighbour of its own.
    """
    words = np.arange(len(first))
    block = max(1, COSINES_AT_A_TIME // len(words))
    blocks = np.split(words, range(block, len(words), block))
    parts = [_compare_rows(first, second, block, count) for block in blocks]
    return Overlap(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _compare_rows(
    first: Floats, second: Floats, rows: npt.NDArray[np.int64], count: int
) -> tuple[Numbers, Numbers]:
    both = []
    for space in (first, second):
        cosines = (space[rows] @ space.T).astype(np.float64)
        others = np.ones(cosines.shape, dtype=bool)
        others[np.arange(len(rows)), rows] = False
        both.append(cosines[others].reshape(len(rows), -1))
    near = [np.argpartition(-each, count - 1, axis=1)[:, :count] for each in both]
    shared = [len(np.intersect1d(*pair)) for pair in zip(*near, strict=True)]
    centred = [each - each.mean(axis=1, keepdims=True) for each in both]
    lengths = np.prod([np.linalg.norm(each, axis=1) for each in centred], axis=0)
    products = (centred[0] * centred[1]).sum(axis=1)
    correlation = np.divide(
        products, lengths, out=np.zeros_like(products), where=lengths > 0
    )
    return np.array(shared) / count, correlation


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add = parser.add_argument
    add(
        "spaces",
        type=Path,
        nargs="+",
        help="two or more: each is compared with the first; word vectors,"
        " reconstructions, or checkpoints with --data",
    )
    add(
        "--counts",
        type=Path,
        required=True,
        metavar="FILE",
        help="dictionary of fairseq-preprocess with the counts of the words",
    )
    add_checkpoint_arguments(parser)
    add(
        "--count",
        type=whole_number(1),
        default=10,
        metavar="K",
        help="nearest neighbours [%(default)s]",
    )
    add(
        "--bins",
        type=ascending(1),
        default=list(BINS),
        metavar="N,N",
        help=f"counts at which bins begin [{','.join(map(str, BINS))}]",
    )
    add(
        "--filters",
        action="store_true",
        help="also compare the random filters of ALONE's checkpoints: what neighbours"
        " owe to chance alone",
    )
    add("--json", type=Path, metavar="FILE", help="write the numbers to this record")


def run(args: argparse.Namespace) -> None:
    """Print what each space shares with the first, by bins of frequency.

    Raises:
        Mistake: If there is one space only, or the spaces have too few words in common.
    """
    if len(args.spaces) < 2:
        raise Mistake("name two spaces or more: each is compared with the first")
    refuse_twice(args.spaces)
    refuse_to_replace((args.counts, *args.spaces), [args.json])
    counts = read_word_counts(args.counts)
    spaces = _read_all(args)
    words = [w for w in next(iter(spaces.values())).words if w in counts]
    words = [w for w in words if all(w in space.exact for space in spaces.values())]
    if len(words) <= args.count + 1:
        raise Mistake(
            f"the spaces and {args.counts} have {len(words):,} words in common, too few"
            f" for {args.count} neighbours"
        )
    first, *others = (
        space.rows([space.exact[word] for word in words]).directions()
        for space in spaces.values()
    )
    groups = _groups([counts[word] for word in words], args.bins)
    found = {
        name: _means(compare(first, other, args.count), groups)
        for name, other in zip([*spaces][1:], others, strict=True)
    }
    print(f"Of {len(words):,} words, compared with {next(iter(spaces))}:")
    print(write(found))
    chance = args.count / (len(words) - 1)
    print(f"By chance {chance:.2%} of {args.count} neighbours are shared.")
    if args.json:
        record = {
            "experiment": "overlap",
            "row": args.json.stem,
            "reference": next(iter(spaces)),
            "words": len(words),
            "count": args.count,
            "chance": chance,
            "spaces": found,
            **origin(("alone-fairseq", *sys.argv[1:]), ()),
        }
        write_json(args.json, record)


def _read_all(args: argparse.Namespace) -> dict[str, WordVectors]:
    refuse_checkpoint_arguments(args, args.spaces)
    spaces = {}
    for path in args.spaces:
        how = {"format": "auto", "words": None, "data": args.data, "side": args.side}
        given = argparse.Namespace(vectors=path, **how)
        spaces[str(path)] = read_source(given)
        if args.filters and is_torch_file(path):
            from alone_experiments.word_vectors.trained_models import read_filters

            if (filters := read_filters(given)) is not None:
                spaces[f"{path}: its filters"] = filters
    return spaces


def _groups(counts: Sequence[int], bins: Sequence[int]) -> dict[str, list[int]]:
    """Number the words of each bin that has any, and all words."""
    groups: dict[str, list[int]] = {name: [] for name in names_of(bins)}
    names = [*groups]
    for place, count in enumerate(counts):
        groups[names[bin_of(count, bins)]].append(place)
    return {**{n: g for n, g in groups.items() if g}, "all": [*range(len(counts))]}


def _means(overlap: Overlap, groups: dict[str, list[int]]) -> dict[str, Means]:
    return {
        group: {
            "words": len(places),
            "shared": float(overlap.shared[places].mean()),
            "correlation": float(overlap.correlation[places].mean()),
        }
        for group, places in groups.items()
    }
