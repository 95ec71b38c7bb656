"""The ``rerank`` command: the one of n outputs that has most of its source's words.

The method is that of Takase and Okazaki (2019), "Positional encoding to control output
sequence length": outputs are ranked by how many of their tokens occur in the source,
counted with repetition and without regard to length.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Mapping, Sequence

from alone_experiments.evaluation.generation import (
    Hypothesis,
    parse_nbest,
    remove_bpe,
)
from alone_experiments.files import refuse_to_replace, write_text
from alone_experiments.lines import read_lines
from alone_experiments.mistakes import Mistake
from alone_experiments.text.characters import unescaped

Normaliser = Callable[[str], str]

WORD_BOUNDARY = "@@@@"
UNITS = ("characters", "bpe", "words")


def porter_stemmer() -> Normaliser:
    """Make the stemmer of the published experiments, NLTK's with its extensions.

    Returns:
        A function from a word to its stem in lower case.

    Raises:
        Mistake: If NLTK is not installed.
    """
    try:
        from nltk.stem.porter import PorterStemmer
    except ImportError as error:
        raise Mistake(
            '--stem needs NLTK: pip install "alone-fairseq[rerank]"'
        ) from error
    stem: Normaliser = PorterStemmer().stem
    return stem


def content_words(source: str, normalise: Normaliser = str) -> set[str]:
    """Find the words of a source whose presence in an output counts.

    Args:
        source: Tokens separated by white space, as they were before BPE.
        normalise: Applied to each of them, such as a stemmer.

    Returns:
        The tokens with at least one letter a to z: not those of digits, punctuation,
        capital letters or other scripts alone.
    """
    return {normalise(word) for word in source.split() if re.search("[a-z]", word)}


def overlap(output: str, content: set[str], normalise: Normaliser = str) -> int:
    """Count the tokens of an output that are among the content words.

    Args:
        output: Text; its tokens are separated by white space.
        content: What :func:`content_words` returned.
        normalise: The function that was applied there.

    Returns:
        Their number; a word that is repeated counts each time.
    """
    return sum(normalise(word) in content for word in output.split())


def choose(
    hypotheses: Sequence[Hypothesis],
    content: set[str],
    normalise: Normaliser = str,
) -> int:
    """Choose an output.

    Args:
        hypotheses: At least one, with their texts as words.
        content: What :func:`content_words` returned of their source.
        normalise: The function that was applied there.

    Returns:
        Index of the one with the largest overlap; of several such the one with the
        best score, of several such the first.
    """

    def rank(index: int) -> tuple[int, float]:
        score, text = hypotheses[index]
        return overlap(text, content, normalise), score

    return max(range(len(hypotheses)), key=rank)


def join_units(text: str, units: str, boundary: str = WORD_BOUNDARY) -> str:
    """Turn a model's output into words.

    Characters that :mod:`alone_experiments.text.characters` escapes become themselves.

    Args:
        text: The output, its units separated by blanks.
        units: One of ``UNITS``.
        boundary: The unit that stands for a blank where units are characters.

    Returns:
        Words separated by blanks.
    """
    if units == "bpe":
        return remove_bpe(text)
    if units == "words":
        return text
    characters = (
        " " if unit == boundary else unescaped(unit) or unit for unit in text.split(" ")
    )
    return "".join(characters).strip(" ")


def rerank(
    nbest: Mapping[int, Sequence[Hypothesis]],
    sources: Sequence[str],
    normalise: Normaliser = str,
) -> list[int]:
    """Choose an output for every source.

    Args:
        nbest: Hypotheses by the number of their sentence, with their texts as words.
        sources: The sentences, as they were before BPE.
        normalise: Applied to the words of both before they are compared.

    Returns:
        For each source the index of its best hypothesis.

    Raises:
        Mistake: If a sentence has no hypothesis, or a hypothesis no sentence.
    """
    missing = [number for number in range(len(sources)) if not nbest.get(number)]
    if missing:
        raise Mistake(
            f"no hypothesis for sentence {missing[0]} (of {len(sources)} sentences"
            f" {len(missing)} have none): generate from this source, with --user-dir"
            " alone_fairseq, which drops no sentence"
        )
    if len(nbest) > len(sources):
        raise Mistake(
            f"hypotheses for sentence {max(nbest)}, but the source has"
            f" {len(sources)} lines: give the source that they were generated from"
        )
    return [
        choose(nbest[number], content_words(source, normalise), normalise)
        for number, source in enumerate(sources)
    ]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the ``rerank`` subcommand."""
    parser.description = (
        "Of the n best outputs for each sentence, print the one with most tokens that"
        " occur in the source; ties go to the better score. One line a sentence."
    )
    add = parser.add_argument
    add(
        "--generated",
        required=True,
        metavar="FILE",
        help="output of fairseq-generate --nbest N, as it is",
    )
    add(
        "--source",
        required=True,
        metavar="FILE",
        help="the sentences, tokenised but without BPE, in the order of the test set",
    )
    add(
        "--stem",
        action="store_true",
        help="compare Porter stems (needs NLTK), as in the published experiments",
    )
    add(
        "--units",
        choices=UNITS,
        help=f"what the lines consist of [{UNITS[0]}; with --lines D words]",
    )
    add(
        "--separator",
        default=WORD_BOUNDARY,
        metavar="UNIT",
        help="stands for a blank between characters [%(default)s]",
    )
    add(
        "--lines",
        choices=("H", "D"),
        default="H",
        help="H: as the model wrote them; D: after fairseq's --bpe and --tokenizer",
    )
    add("--output", metavar="FILE", help="write the lines to this file")


def run(args: argparse.Namespace) -> None:
    """Choose as the ``rerank`` subcommand does, and print or write the choices.

    Args:
        args: Options as added by :func:`add_arguments`.

    Raises:
        Mistake: If a file is missing, damaged or incomplete.
    """
    refuse_to_replace((args.source, args.generated), [args.output])
    normalise = porter_stemmer() if args.stem else str
    sources = read_lines(args.source)
    if not sources:
        raise Mistake(f"--source {args.source} has no line")
    output = read_lines(args.generated)
    try:
        nbest = {
            number: [_as_words(hypothesis, args) for hypothesis in found]
            for number, found in parse_nbest(output, args.lines).items()
        }
        chosen = rerank(nbest, sources, normalise)
    except Mistake as error:
        raise Mistake(f"{args.generated}: {error}") from error
    lines = [nbest[number][index].text for number, index in enumerate(chosen)]
    if args.output:
        write_text(args.output, "".join(f"{line}\n" for line in lines))
    else:
        print(*lines, sep="\n")
    others = sum(index > 0 for index in chosen)
    print(f"{others:,} of {len(lines):,} are not the first output", file=sys.stderr)


def _as_words(hypothesis: Hypothesis, args: argparse.Namespace) -> Hypothesis:
    units = args.units or ("words" if args.lines == "D" else UNITS[0])
    text = join_units(hypothesis.text, units, args.separator)
    return hypothesis._replace(text=text)
