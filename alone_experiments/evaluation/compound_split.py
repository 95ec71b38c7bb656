"""Tokenised BLEU with hyphenated compounds split, as older papers on WMT report it.

Vaswani et al. (2017) and those who compare with them split words at hyphens in both
translation and reference before they count n-grams, which raises the score of
English-German by half a point or more. Kept apart from SacreBLEU (Post, 2018).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sacrebleu.metrics import BLEU

SPLIT_HYPHEN = "##AT##-##AT##"
# The hyphens that the Moses tokeniser split already, in its writing and in that of
# the corpus that older work used.
_SPLIT_ALREADY = {"@-@", SPLIT_HYPHEN}


def split_compounds(sentence: str) -> str:
    """Split words at their hyphens.

    As in the customary script, a part of one character between two hyphens stays with
    what follows it: ``A-b-C`` becomes ``A ##AT##-##AT## b-C``.

    Args:
        sentence: Tokens separated by blanks, without subword units.

    Returns:
        The same, each inner hyphen being a token ``##AT##-##AT##`` of its own.
    """
    return " ".join(map(_split_token, sentence.split()))


def _split_token(token: str) -> str:
    if token in _SPLIT_ALREADY:
        return SPLIT_HYPHEN
    return re.sub(r"(\S)-(\S)", rf"\1 {SPLIT_HYPHEN} \2", token)


def compound_split_bleu(
    hypotheses: Sequence[str], references: Sequence[str]
) -> dict[str, float | str]:
    """Score tokens with compounds split.

    Args:
        hypotheses: Tokenised translations, one a sentence.
        references: References tokenised in the same way, in the same order.

    Returns:
        ``bleu`` in [0, 100] and SacreBLEU's ``signature``, which says ``tok:none``.
    """
    metric = BLEU(tokenize="none", force=True)
    score = metric.corpus_score(
        [split_compounds(line) for line in hypotheses],
        [[split_compounds(line) for line in references]],
    )
    return {"bleu": float(score.score), "signature": str(metric.get_signature())}
