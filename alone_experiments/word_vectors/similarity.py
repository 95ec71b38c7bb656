"""The ``similarity`` command: do vectors agree with people on which words are alike?

The published convention: Spearman's rank correlation between the cosines of the
vectors and the human scores. Pairs with a missing word are left out, and the number
covered is told. A word is looked up in exactly its form, then in that of the first
entry that differs by case only. Equal values share the mean of their ranks. With
``--spell`` the missing words are read by their spelling, by a method that can.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from alone_experiments.files import refuse_same_names, refuse_to_replace, write_json
from alone_experiments.word_vectors.sources import (
    add_source_arguments,
    add_spell_argument,
    read_source,
    refuse_checkpoint_arguments,
)
from alone_experiments.word_vectors.word_pairs import Pair, read_pairs
from alone_experiments.word_vectors.word_vectors import WordVectors


@dataclass(frozen=True)
class SimilarityScore:
    """Agreement with one file of word pairs.

    Attributes:
        rho: Spearman's correlation in [-1, 1]; ``None`` where it has no value: fewer
            than two pairs, or all of one score.
        covered: Pairs of which both words have vectors.
        pairs: All pairs of the file.
    """

    rho: float | None
    covered: int
    pairs: int


def spearman(first: list[float], second: list[float]) -> float | None:
    """Compute Spearman's rank correlation; equal values share their mean rank.

    Args:
        first: Any numbers.
        second: As many.

    Returns:
        The correlation in [-1, 1], or ``None`` where either side has fewer than
        two different values.
    """
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None
    from scipy.stats import spearmanr  # here: it takes longer to import than to run

    return float(spearmanr(first, second).statistic)


def score(
    vectors: WordVectors,
    pairs: list[Pair],
    wanted: Callable[[int, int], bool] = lambda *_: True,
) -> SimilarityScore:
    """Score vectors on word pairs.

    Args:
        vectors: Words and vectors.
        pairs: Judged pairs.
        wanted: Whether a pair counts, by the rows of its words.

    Returns:
        The score; pairs that are not wanted count as not covered.
    """
    directions = vectors.directions().astype(np.float64)
    cosines, human = [], []
    for pair in pairs:
        first, second = vectors.find(pair.first), vectors.find(pair.second)
        if first is not None and second is not None and wanted(first, second):
            cosines.append(float(directions[first] @ directions[second]))
            human.append(pair.score)
    return SimilarityScore(spearman(cosines, human), len(human), len(pairs))


def show(rho: float | None) -> str:
    """Write a correlation with three decimals, ``-`` where it has no value."""
    return "-" if rho is None else f"{rho:.3f}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_source_arguments(parser)
    add_spell_argument(parser)
    parser.add_argument(
        "--pairs",
        type=Path,
        nargs="+",
        required=True,
        metavar="FILE",
        help="word pairs with human scores: SimLex-999, WordSim-353, RG-65, MEN and RW"
        " as they are given out, or lines 'word1 word2 score'",
    )
    parser.add_argument("--json", type=Path, help="write the scores to this file")


def run(args: argparse.Namespace) -> None:
    """Print Spearman's correlation and the coverage for each file of word pairs."""
    refuse_same_names(args.pairs)
    refuse_to_replace((args.vectors, *args.pairs), [args.json])
    sets = {path: read_pairs(path) for path in args.pairs}
    every = [pair for pairs in sets.values() for pair in pairs]
    words = [word for pair in every for word in (pair.first, pair.second)]
    refuse_checkpoint_arguments(args, [args.vectors])
    vectors = read_source(args, words)
    print(f"{'word pairs':<32}{'rho':>8}{'covered':>10}{'of':>8}")
    scores = {}
    for path, pairs in sets.items():
        found = score(vectors, pairs)
        scores[path.name] = asdict(found)
        rho = show(found.rho)
        print(f"{path.name:<32}{rho:>8}{found.covered:>10,}{found.pairs:>8,}")
    print(
        "Spearman's rho of cosines and human scores; pairs with a missing word are left"
        " out; exact form first, then any case; ties share their mean rank"
    )
    if args.json:
        write_json(args.json, scores)
