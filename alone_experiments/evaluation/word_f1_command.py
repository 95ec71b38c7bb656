"""The ``word-f1`` command: what systems do with frequent and with rare words."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from sacrebleu.metrics import BLEU
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from alone_experiments.arguments import ascending
from alone_experiments.evaluation.word_f1 import (
    BINS,
    BinScore,
    count_words,
    group_sentences,
    names_of,
    score_bins,
)
from alone_experiments.files import write_json
from alone_experiments.lines import read_lines
from alone_experiments.mistakes import Mistake, say
from alone_experiments.results.columns import Column, write_table

FEWEST = 30
"""Sentences of which a BLEU is printed; one of fewer says little."""


@dataclass(frozen=True)
class System:
    """The scores of a system by bin.

    Attributes:
        words: Those of the words of each bin.
        bleu: BLEU of the sentences whose rarest reference word is in the bin; ``None``
            where there are fewer than ``FEWEST``.
    """

    words: list[BinScore]
    bleu: list[float | None]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add = parser.add_argument
    add("reference", type=Path, help="raw reference, one sentence a line")
    add(
        "translations",
        type=Path,
        nargs="+",
        help="finished translations, a file a system, plain or gzipped, as evaluate-row"
        " keeps them beside a record",
    )
    add(
        "--training",
        type=Path,
        required=True,
        metavar="FILE",
        help="raw target side of the training data, where words are counted",
    )
    add(
        "--bins",
        type=ascending(1),
        default=list(BINS),
        metavar="N,N",
        help=f"counts at which bins begin [compare-mt's: {','.join(map(str, BINS))}]",
    )
    add(
        "--tokenised",
        action="store_true",
        help="words are what blanks separate [what SacreBLEU's tokenizer 13a makes]",
    )
    add("--plot", type=Path, metavar="FILE", help="draw F1 and BLEU by bin (PNG)")
    add("--json", type=Path, metavar="FILE", help="write the scores to this file")


def run(args: argparse.Namespace) -> None:
    """Print F1 and BLEU by bin for each system.

    Raises:
        Mistake: If files do not belong together.
    """
    references = read_lines(args.reference)
    if not references:
        raise Mistake(f"{args.reference}: is empty")
    texts = {}
    for path in args.translations:
        name = _name(path)
        if name in texts:
            name = str(path)  # of like rows in two folders
        if name in texts:
            raise Mistake(f"{path}: is given twice")
        texts[name] = _read(path, len(references))
    split: Callable[[str], list[str]] = str.split if args.tokenised else words_of
    counts = count_words(map(split, read_lines(args.training)))
    wanted = [split(line) for line in references]
    groups = group_sentences(wanted, counts, args.bins)
    systems = {
        name: System(
            score_bins([split(line) for line in lines], wanted, counts, args.bins),
            [_bleu(lines, references, group, args.tokenised) for group in groups],
        )
        for name, lines in texts.items()
    }
    bins = names_of(args.bins)
    print(write(bins, systems, [len(group) for group in groups]))
    if args.json:
        scores = {name: asdict(system) for name, system in systems.items()}
        write_json(args.json, {"bins": bins, "systems": scores})
    if args.plot:
        from alone_experiments.results.plot_word_f1 import plot

        plot(bins, systems, args.plot)
        say(f"plot: {args.plot}")


def write(
    bins: Sequence[str], systems: dict[str, System], sentences: Sequence[int]
) -> str:
    """Lay the scores out as two tables, a column a system.

    Args:
        bins: Names of the bins.
        systems: Scores by the names of the systems.
        sentences: Number of sentences of each bin.
    """
    first, *_ = systems.values()
    words = [f"{score.reference:,}" for score in first.words]
    f1 = {n: [f"{100 * x.f1:.2f}" for x in s.words] for n, s in systems.items()}
    bleu = {
        n: ["-" if x is None else f"{x:.2f}" for x in s.bleu]
        for n, s in systems.items()
    }
    counts = [f"{number:,}" for number in sentences]
    tables = [
        _table([("F1 of words seen", bins), ("words", words), *f1.items()]),
        _table(
            [("BLEU, rarest word seen", bins), ("sentences", counts), *bleu.items()]
        ),
    ]
    return "\n\n".join(tables)


def _table(columns: Sequence[tuple[str, Sequence[str]]]) -> str:
    (_, bins), *_ = columns
    return write_table(
        [Column(name, cells.__getitem__, cells is bins) for name, cells in columns],
        range(len(bins)),
    )


@cache
def _tokenizer() -> Tokenizer13a:
    return Tokenizer13a()  # type: ignore[no-untyped-call] # sacrebleu's


def words_of(line: str) -> list[str]:
    """Split a sentence as SacreBLEU does before it counts."""
    words: list[str] = _tokenizer()(line).split()
    return words


def _bleu(
    lines: Sequence[str], references: Sequence[str], group: list[int], tokenised: bool
) -> float | None:
    if len(group) < FEWEST:
        return None
    metric = BLEU(tokenize="none" if tokenised else "13a", force=tokenised)
    chosen = [lines[i] for i in group], [[references[i] for i in group]]
    return float(metric.corpus_score(*chosen).score)


def _name(path: Path) -> str:
    return path.name.removesuffix(".gz")


def _read(path: Path, sentences: int) -> list[str]:
    lines = read_lines(path)
    if len(lines) != sentences:
        raise Mistake(
            f"{path}: has {len(lines):,} lines, and the reference {sentences:,}: give"
            " the translations of this reference"
        )
    return lines
