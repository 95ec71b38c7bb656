"""Detokenised SacreBLEU of what fairseq-generate wrote (Post, 2018).

fairseq's own ``--scoring sacrebleu`` scores tokens, and ``fairseq-score
--sacrebleu`` does not run with the present SacreBLEU.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from sacrebleu.metrics import BLEU

from alone_experiments.evaluation.compound_split import compound_split_bleu
from alone_experiments.evaluation.generation import (
    detokenise,
    in_order,
    parse_generation,
    remove_bpe,
)
from alone_experiments.evaluation.known_test_sets import recognise
from alone_experiments.files import refuse_to_replace, write_json, write_text
from alone_experiments.lines import read_lines
from alone_experiments.mistakes import Mistake


@dataclass(frozen=True)
class BleuScore:
    """A corpus score.

    Attributes:
        bleu: Score in [0, 100].
        signature: SacreBLEU's signature: all choices that change the score.
        sentences: Number of sentences scored.
        details: SacreBLEU's line with precisions and brevity penalty.
        test_set: SacreBLEU's name of the test set, where the references were found to
            be its own.
        compound_split: Tokenised BLEU with compounds split, and its signature, for
            comparison with older papers only.
    """

    bleu: float
    signature: str
    sentences: int
    details: str
    test_set: str | None = None
    compound_split: dict[str, float | str] | None = None


def corpus_bleu(hypotheses: Sequence[str], references: Sequence[str]) -> BleuScore:
    """Score translations against one reference each, case-sensitively.

    Args:
        hypotheses: Ordinary, detokenised text.
        references: The raw references, in the same order.

    Returns:
        The score that the ``sacrebleu`` command gives for the same lines.

    Raises:
        Mistake: If there is nothing to score or the numbers differ.
    """
    if len(hypotheses) != len(references):
        raise Mistake(
            f"{len(hypotheses)} translations for {len(references)} references"
        )
    if not references:
        raise Mistake("there is no sentence to score: the reference file is empty")
    metric = BLEU()
    score = metric.corpus_score(list(hypotheses), [list(references)])
    signature = str(metric.get_signature())
    return BleuScore(float(score.score), signature, len(references), str(score))


def read_hypotheses(
    generated: str | Path, sentences: int, language: str | None, kind: str = "H"
) -> list[str]:
    """Read finished translations from the output of fairseq-generate.

    Args:
        generated: File with that output.
        sentences: Number of sentences of the test set.
        language: Target language to detokenise for; ``None`` leaves tokens alone.
        kind: ``H``, ``D`` or ``T``, see :func:`~.generation.parse_generation`.

    Returns:
        One translation a sentence, in the order of the test set.

    Raises:
        Mistake: If the file is damaged or incomplete.
    """
    lines = read_lines(generated)
    try:
        found = parse_generation(lines, kind)
        if sentences and not found:
            raise Mistake(
                f"no line begins with {kind}-: give the output of fairseq-generate"
            )
        texts = in_order(found, sentences)
    except Mistake as error:
        raise Mistake(f"{generated}: {error}") from error
    words = [remove_bpe(text) for text in texts]
    return words if language is None else detokenise(words, language)


def score_compounds(generated: str | Path, sentences: int) -> dict[str, float | str]:
    """Score the tokens of fairseq-generate's output with compounds split.

    Args:
        generated: File with that output; its ``T`` lines are the references.
        sentences: Number of sentences of the test set.

    Returns:
        What :func:`~.compound_split.compound_split_bleu` returns.

    Raises:
        Mistake: If the file is damaged or incomplete.
    """
    hypotheses, references = (
        read_hypotheses(generated, sentences, None, kind) for kind in "HT"
    )
    return compound_split_bleu(hypotheses, references)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the ``bleu`` subcommand."""
    add = parser.add_argument
    add("--generated", required=True, help="output of fairseq-generate")
    add("--reference", required=True, help="raw reference, one sentence a line")
    add("--language", default="de", help="to detokenise for [%(default)s]")
    add("--no-detokenise", action="store_true", help="score the words as they are")
    add(
        "--lines",
        choices=("H", "D"),
        default="H",
        help="H: as the model wrote them; D: after fairseq's --bpe and --tokenizer,"
        " usually with --no-detokenise",
    )
    add(
        "--compound-split",
        action="store_true",
        help="also score tokens with hyphenated compounds split, as older papers do",
    )
    add(
        "--test-set",
        metavar="NAME:PAIR",
        help="say whether the reference is SacreBLEU's test set of this name, such as"
        " wmt14/full:en-de (downloaded by SacreBLEU once)",
    )
    add("--output", help="write the scored translations to this file")
    add("--json", help="write the score to this file")


def run(args: argparse.Namespace) -> None:
    """Score as the ``bleu`` subcommand does and print score and signature.

    Args:
        args: Options as added by :func:`add_arguments`.

    Raises:
        Mistake: If a file is missing, damaged or incomplete, or would be replaced.
    """
    refuse_to_replace((args.generated, args.reference), (args.output, args.json))
    references = read_lines(args.reference)
    language = None if args.no_detokenise else args.language
    hypotheses = read_hypotheses(args.generated, len(references), language, args.lines)
    score = corpus_bleu(hypotheses, references)
    if args.test_set:
        score = replace(score, test_set=recognise(args.test_set, references))
    if args.compound_split:
        split = score_compounds(args.generated, len(references))
        score = replace(score, compound_split=split)
    if args.output:
        write_text(args.output, "".join(f"{line}\n" for line in hypotheses))
    if args.json:
        write_json(args.json, asdict(score))
    print(score.details)
    print(f"{score.signature} ({score.sentences} sentences)")
    if score.compound_split:
        number, signature = score.compound_split.values()
        print(f"Tokenised, compounds split: BLEU = {number:.2f} ({signature})")
