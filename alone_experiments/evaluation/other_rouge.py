"""The numbers of Google's rouge-score, as newer papers report them, beside ours.

That package has a stemmer of its own, splits other words, takes the best of several
references where ROUGE-1.5.5 pools them, and knows no limit of bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from statistics import fmean
from typing import Any

from alone_experiments.mistakes import Mistake

NAME = "rouge-score"


@dataclass(frozen=True)
class OtherScores:
    """Scores of a system by rouge-score.

    Attributes:
        signature: What was counted, and by which version.
        scores: Means over the lines of recall, precision and f1 by metric.
    """

    signature: str
    scores: dict[str, dict[str, float]]


def score(
    system: Sequence[str],
    references: Sequence[Sequence[str]],
    stemming: bool,
    most: int,
) -> OtherScores:
    """Score one output a line, whole lines.

    Args:
        system: The system's lines, at least one.
        references: As many lists of lines, one a reference file. A blank line is no
            reference, unless a line has no other.
        stemming: Whether the package's stemmer is used.
        most: ROUGE-1 to ROUGE-``most``, and ROUGE-L.

    Returns:
        The package's numbers; of several references the best one's, by F1.

    Raises:
        Mistake: If it is not installed.
    """
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError as error:
        raise Mistake(
            "--also rouge-score needs that package: pip install rouge-score"
        ) from error
    kinds = [*(f"rouge{n}" for n in range(1, most + 1)), "rougeL"]
    scorer: Any = RougeScorer(kinds, use_stemmer=stemming)
    lines = []
    for line, *of_line in zip(system, *references, strict=True):
        present = [text for text in of_line if text.strip()] or [""]
        lines.append(scorer.score_multi(present, line))
    scores = {
        f"ROUGE-{kind.removeprefix('rouge')}": {
            "recall": fmean(found[kind].recall for found in lines),
            "precision": fmean(found[kind].precision for found in lines),
            "f1": fmean(found[kind].fmeasure for found in lines),
        }
        for kind in kinds
    }
    parts = {
        "nrefs": len(references),
        "stem": "yes" if stemming else "no",
        "references": "best",
        "bytes": "all",
        "version": f"{NAME}-{version(NAME)}",
    }
    return OtherScores("|".join(f"{k}:{v}" for k, v in parts.items()), scores)


def table(found: OtherScores, kinds: Sequence[str]) -> str:
    """Lay the scores out.

    Args:
        found: The scores.
        kinds: Of ``recall``, ``precision`` and ``f1``, from the left.
    """
    lines = [" " * 9 + "".join(f"{kind:<28}" for kind in kinds).rstrip()]
    for metric, by_kind in found.scores.items():
        cells = "".join(f"{by_kind[kind]:.5f}".ljust(28) for kind in kinds)
        lines.append(f"{metric:<9}{cells}".rstrip())
    return "\n".join([*lines, found.signature])
