"""The ``word-f1`` command: what systems do with frequent and with rare words."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from sacrebleu.metrics import BLEU
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from alone_experiments.arguments import ascending
from alone_experiments.evaluation.word_f1 import (
    BINS,
    count_words,
    group_sentences,
    names_of,
    score_bins,
    total,
)
from alone_experiments.files import refuse_to_replace, refuse_twice, write_json
from alone_experiments.lines import read_lines, sha256
from alone_experiments.mistakes import Mistake, say
from alone_experiments.provenance import origin
from alone_experiments.results.word_f1_table import write

FEWEST = 30
"""Sentences of a bin whose BLEU is printed; one of fewer says little."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add = parser.add_argument
    add("reference", type=Path, help="raw reference, one sentence a line")
    add(
        "translations",
        type=Path,
        nargs="+",
        help="finished translations, a file a system, plain or gzipped, as evaluate-row"
        " keeps them beside a record; what differs in --seedN alone becomes a mean",
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
    add("--json", type=Path, metavar="FILE", help="write the scores to this record")


def run(args: argparse.Namespace) -> None:
    """Print F1 and BLEU by bin for each system.

    Raises:
        Mistake: If files do not belong together.
    """
    given = (args.reference, args.training, *args.translations)
    refuse_to_replace(given, (args.json, args.plot))
    references = read_lines(args.reference)
    if not references:
        raise Mistake(f"{args.reference}: is empty")
    refuse_twice(args.translations)
    texts = [_read(path, len(references)) for path in args.translations]
    scores = _score(args, references, texts)
    print("\n\n".join(write(scores)))
    if args.json:
        made = origin(("alone-fairseq", *sys.argv[1:]), ("sacrebleu",))
        write_json(args.json, scores | made)
    if args.plot:
        from alone_experiments.results.plot_word_f1 import plot

        plot([scores], args.plot)
        say(f"plot: {args.plot}")


def _score(
    args: argparse.Namespace, references: list[str], texts: list[list[str]]
) -> dict[str, Any]:
    split: Callable[[str], list[str]] = str.split if args.tokenised else words_of
    metric = BLEU(tokenize="none" if args.tokenised else "13a", force=args.tokenised)
    counts = count_words(map(split, read_lines(args.training)))
    if not counts:
        raise Mistake(f"{args.training}: has no words to count")
    wanted = [split(line) for line in references]
    groups = group_sentences(wanted, counts, args.bins)
    every = [*range(len(references))]
    read = _names([args.reference, args.training, *args.translations])
    systems, words = {}, []
    for path, lines in zip(args.translations, texts, strict=True):
        said = [split(line) for line in lines]
        scores = score_bins(said, wanted, counts, args.bins)
        scores.append(total(scores))
        words = [score.reference for score in scores]
        bleu = [
            _bleu(metric, lines, references, group) if len(group) >= FEWEST else None
            for group in groups
        ]
        bleu.append(_bleu(metric, lines, references, every))
        systems[read[path]] = {"f1": [100 * score.f1 for score in scores], "bleu": bleu}
    return {
        "experiment": "word_f1",
        "row": args.json.stem if args.json else args.reference.name,
        "bins": names_of(args.bins),
        "words": words,
        "sentences": [len(group) for group in (*groups, every)],
        "systems": systems,
        "signature": str(metric.get_signature()),
        "data": {name: sha256(path) for path, name in read.items()},
    }


@cache
def _tokenizer() -> Tokenizer13a:
    return Tokenizer13a()  # type: ignore[no-untyped-call] # sacrebleu's


def words_of(line: str) -> list[str]:
    """Split a sentence as SacreBLEU does before it counts."""
    words: list[str] = _tokenizer()(line).split()
    return words


def _bleu(
    metric: BLEU, lines: Sequence[str], references: Sequence[str], group: list[int]
) -> float:
    chosen = [lines[i] for i in group], [[references[i] for i in group]]
    return float(metric.corpus_score(*chosen).score)


def _names(paths: Sequence[Path]) -> dict[Path, str]:
    """Call files by their names, or all by their paths if two have one name."""
    names = {path: path.name.removesuffix(".gz") for path in paths}
    for longer in (lambda path: str(path).removesuffix(".gz"), str):
        if len({*names.values()}) < len(names):
            names = {path: longer(path) for path in names}
    return names


def _read(path: Path, sentences: int) -> list[str]:
    lines = read_lines(path)
    if len(lines) != sentences:
        raise Mistake(
            f"{path}: has {len(lines):,} lines, and the reference {sentences:,}: give"
            " the translations of this reference"
        )
    return lines
