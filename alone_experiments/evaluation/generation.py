"""Reading the translations that fairseq-generate writes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from locale import locale_alias
from typing import Any, NamedTuple

from alone_experiments.mistakes import Mistake

_SHOWN = 60  # characters of a damaged line


class Hypothesis(NamedTuple):
    """One output of the model.

    Attributes:
        score: fairseq-generate's score, the higher the better.
        text: The output in the model's units, separated by blanks.
    """

    score: float
    text: str


def parse_nbest(lines: Iterable[str], kind: str = "H") -> dict[int, list[Hypothesis]]:
    """Pick all hypotheses out of the output of fairseq-generate.

    Args:
        lines: The output; lines of other kinds are passed over.
        kind: ``H``, a hypothesis as the model wrote it, in subword units; ``D``, the
            same after fairseq's own ``--bpe`` and ``--tokenizer``; or ``T``, the
            reference in subword units.

    Returns:
        For the number of each sentence in the test set its hypotheses, in the order of
        the lines.

    Raises:
        Mistake: If a line is damaged.
    """
    found: dict[int, list[Hypothesis]] = {}
    for _, sentence, hypothesis in _hypotheses(lines, kind):
        found.setdefault(sentence, []).append(hypothesis)
    return found


def parse_generation(lines: Iterable[str], kind: str = "H") -> dict[int, str]:
    """Pick the hypotheses out of output with one hypothesis a sentence.

    Args:
        lines: The output, see :func:`parse_nbest`.
        kind: ``H`` or ``D``, see :func:`parse_nbest`.

    Returns:
        Hypotheses by the number of their sentence in the test set.

    Raises:
        Mistake: If a line is damaged or a sentence has two hypotheses.
    """
    found: dict[int, str] = {}
    for number, sentence, hypothesis in _hypotheses(lines, kind):
        if sentence in found:
            raise Mistake(
                f"line {number}: sentence {sentence} has a second hypothesis:"
                " generate with --nbest 1, into an empty file"
            )
        found[sentence] = hypothesis.text
    return found


def _hypotheses(
    lines: Iterable[str], kind: str
) -> Iterator[tuple[int, int, Hypothesis]]:
    """Yield number of the line, number of the sentence, hypothesis."""
    for number, line in enumerate(lines, start=1):
        if line.startswith(f"{kind}-"):
            yield number, *_parse_hypothesis(line, number)


def _parse_hypothesis(line: str, number: int) -> tuple[int, Hypothesis]:
    """Split ``H-<sentence> <score> <text>``; an empty text may lack its tab.

    References, of kind ``T``, have no score; they get 0.
    """
    scored = not line.startswith("T")
    label, *fields = line.rstrip("\r\n").split("\t", maxsplit=1 + scored)
    digits = label[2:]
    try:
        if not (digits.isascii() and digits.isdigit()):
            raise ValueError(f"{digits!r} is no number of a sentence")
        score = float(fields[0]) if scored else 0.0
        if not math.isfinite(score):
            raise ValueError("its score is not finite")
        text = fields[scored] if len(fields) > scored else ""
        return int(digits), Hypothesis(score, text)
    except (ValueError, IndexError) as error:
        raise Mistake(
            f"line {number} is no {label[:1]} line of fairseq-generate"
            f" ({_shown(str(error))}): {_shown(line)}: generate again"
        ) from error


def _shown(text: str) -> str:
    return f"{text[:_SHOWN]}…" if len(text) > _SHOWN else text


def in_order(hypotheses: dict[int, str], sentences: int) -> list[str]:
    """Put hypotheses in the order of the test set.

    Args:
        hypotheses: What :func:`parse_generation` returned.
        sentences: Number of sentences of the test set.

    Returns:
        One hypothesis for every sentence.

    Raises:
        Mistake: If any sentence has no translation, or there are too many.
    """
    missing = [number for number in range(sentences) if number not in hypotheses]
    if missing or len(hypotheses) != sentences:
        first = f", the first without one is number {missing[0]}" if missing else ""
        raise Mistake(
            f"{len(hypotheses)} translations for {sentences} references{first}:"
            " generate from the test set of these references,"
            " with --user-dir alone_fairseq, which drops no sentence"
        )
    return [hypotheses[number] for number in range(sentences)]


def remove_bpe(sentence: str, marker: str = "@@") -> str:
    """Join the subword units of subword-nmt to words.

    Args:
        sentence: Units separated by blanks.
        marker: What ends a unit that does not end its word.

    Returns:
        The words; a unit cut off at the end of the sentence loses its marker.
    """
    return f"{sentence} ".replace(f"{marker} ", "").rstrip()


def is_language(name: str) -> bool:
    """Tell whether there is a language to detokenise for.

    Args:
        name: Two-letter code, such as ``de``.

    Raises:
        Mistake: If sacremoses is not installed.
    """
    try:
        from sacremoses.corpus import NonbreakingPrefixes
    except ImportError as error:
        raise Mistake(
            "detokenising needs sacremoses: pip install sacremoses"
        ) from error
    # It takes any text for a language, and has general rules for those it has no own.
    known = {name.partition("_")[0].partition(".")[0] for name in locale_alias.values()}
    return name in known.union(NonbreakingPrefixes().available_langs.values())


@lru_cache
def _detokenizer(language: str) -> Any:
    if not is_language(language):
        raise Mistake(
            f"there is no language '{language}': give a code such as de, or"
            " --no-detokenise"
        )
    from sacremoses import MosesDetokenizer

    return MosesDetokenizer(lang=language)


def detokenise(sentences: Sequence[str], language: str) -> list[str]:
    """Turn the tokens of the Moses tokeniser into ordinary text.

    Args:
        sentences: Tokens separated by blanks.
        language: Two-letter code, such as ``de``.

    Returns:
        The sentences as a reader expects them.

    Raises:
        Mistake: If there is no such language.
    """
    detokenizer = _detokenizer(language)
    return [str(detokenizer.detokenize(sentence.split())) for sentence in sentences]
