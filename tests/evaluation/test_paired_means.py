"""The paired test of mean scores, against all exchanges counted one by one."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alone_experiments.evaluation.paired_means import MeanComparison, compare_means
from alone_experiments.mistakes import Mistake

SCORES = st.integers(0, 100_000).map(lambda number: number / 100_000)


def exact_p_value(differences: list[int]) -> float:
    """The share of all exchanges with a difference at least as large."""
    observed = abs(sum(differences))
    sums = [
        abs(sum(sign * d for sign, d in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return sum(found >= observed for found in sums) / len(sums)


@pytest.mark.parametrize(
    "differences",
    [[1, 1, 1, 1, 1], [5, -4, 3, 2, 1, 0, 7], [3, -3], [10] * 8 + [-30], [2]],
)
def test_p_value_is_the_share_of_exchanges(differences: list[int]) -> None:
    system = {"R": [0.5 + d / 100_000 for d in differences]}
    baseline = {"R": [0.5] * len(differences)}
    found = compare_means(system, baseline)["R"]
    assert found.difference == pytest.approx(sum(differences) / len(differences) / 1e5)
    # Four standard deviations of 10,000 trials.
    assert found.p_value == pytest.approx(exact_p_value(differences), abs=0.02)


@settings(max_examples=5)
@given(st.lists(st.tuples(SCORES, SCORES), min_size=1, max_size=20))
def test_sides_exchanged_give_the_same_chance(pairs: list[tuple[float, float]]) -> None:
    one, two = ({"R": list(side)} for side in zip(*pairs, strict=True))
    forth, back = compare_means(one, two)["R"], compare_means(two, one)["R"]
    assert forth.difference == -back.difference
    assert forth.p_value == back.p_value
    assert 0 < forth.p_value <= 1
    assert compare_means(one, one) == {"R": MeanComparison(0.0, 1.0)}


def test_every_metric_has_its_own_result() -> None:
    better, same = [0.9] * 12, [0.2] * 12
    found = compare_means({"A": better, "B": same}, {"A": same, "B": same})
    assert found["A"].p_value < 0.005
    assert found["B"] == MeanComparison(0.0, 1.0)


@pytest.mark.parametrize(
    ("system", "baseline"),
    [
        ({"R": [0.1]}, {"R": [0.1, 0.2]}),
        ({"R": [0.1]}, {"S": [0.1]}),
        ({"R": []}, {"R": []}),
        ({}, {}),
    ],
)
def test_other_lines_are_refused(
    system: dict[str, list[float]], baseline: dict[str, list[float]]
) -> None:
    with pytest.raises(Mistake, match="compare results of one test set"):
        compare_means(system, baseline)
