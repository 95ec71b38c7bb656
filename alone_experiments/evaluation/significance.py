"""Whether two systems differ, by SacreBLEU's paired approximate randomisation.

The test of Riezler and Maxwell (2005), two-sided, with SacreBLEU's own number of trials
(10,000) and seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest, Result

from alone_experiments.mistakes import Mistake


@dataclass(frozen=True)
class Comparison:
    """A system compared with a baseline on the same sentences.

    Attributes:
        difference: BLEU of the system less that of the baseline.
        p_value: Probability of so large a difference, in either direction, between
            systems of the same quality; in (0, 1].
        signature: SacreBLEU's signature of score and test.
    """

    difference: float
    p_value: float
    signature: str


def compare(
    system: Sequence[str], baseline: Sequence[str], references: Sequence[str]
) -> Comparison:
    """Compare the translations of two systems, as ``sacrebleu --paired-ar`` does.

    Args:
        system: Detokenised translations.
        baseline: Those of the system to compare with, in the same order.
        references: Raw references, in the same order.

    Returns:
        Difference and p-value.

    Raises:
        Mistake: If the numbers of sentences differ or are 0.
    """
    if not len(system) == len(baseline) == len(references) > 0:
        raise Mistake(
            f"{len(system)} and {len(baseline)} translations for {len(references)}"
            " references: compare results of one test set"
        )
    systems: list[tuple[str, Sequence[str]]]
    systems = [("baseline", baseline), ("system", system)]
    test = PairedTest(systems, {"BLEU": BLEU()}, [list(references)], test_type="ar")
    signatures, scores = test()
    before, after = (score for score in scores["BLEU"] if isinstance(score, Result))
    assert after.p_value is not None
    # SacreBLEU counts what is more extreme than the difference itself. Of few sentences
    # that differ, one shuffle in 2 ** (number - 1) is as extreme.
    pairs = zip(system, baseline, strict=True)
    number = sum(ours != theirs for ours, theirs in pairs)
    least = min(1.0, 2.0 ** (1 - number))
    return Comparison(
        difference=after.score - before.score,
        p_value=max(least, after.p_value),
        signature=str(signatures["BLEU"]),
    )
