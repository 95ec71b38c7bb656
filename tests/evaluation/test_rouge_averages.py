"""Averages over documents and their confidence intervals."""

import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alone_experiments.evaluation.bootstrap import Resampling, average, resampled_means
from alone_experiments.evaluation.rouge import SCORES, RougeSettings, score_corpus
from alone_experiments.evaluation.rouge_tokens import Tokeniser
from alone_experiments.mistakes import Mistake

SYSTEM = """\
police kill gunman in bank raid
the cat sat on the mat
oil prices rise again
rain falls on spain
president visits troops
stocks fall sharply in tokyo
nothing in common here
new school opens doors
team wins third title
storm hits coast
minister resigns over scandal
scientists find new planet
""".splitlines()
REFERENCES = [
    """\
police shot the gunman
the cat was on the mat
oil price rises
rain in spain
the president visited his troops
tokyo stocks fall
completely different words
school opens
team wins title again
a storm hits the coast
scandal minister resigns
new planet found by scientists
""".splitlines(),
    """\
gunman killed by police in bank
a cat on a mat
prices of oil rise
it rains
troops see president
sharp fall of stocks in tokyo
no word alike
new doors open
third title for team
coast hit by storm
minister quits
a planet is found
""".splitlines(),
]
# What ROUGE-1.5.5 printed for these lines with -m -b 75 -n 2 and an empty list of
# irregular forms, Average_R, _P and _F with their intervals; first with -c 95 -r 1000,
# then with -c 90 -r 333, where the ends are interpolated.
PRINTED = {
    (95, 1000): {
        "ROUGE-1": """0.66228 0.51161 0.77735
                      0.60709 0.45833 0.74167
                      0.62083 0.47904 0.72891""",
        "ROUGE-2": """0.21614 0.14137 0.28581
                      0.19295 0.12639 0.25417
                      0.19739 0.13187 0.25757""",
        "ROUGE-L": """0.53326 0.41068 0.63332
                      0.48272 0.36806 0.58333
                      0.49702 0.38109 0.58683""",
    },
    (90, 333): {
        "ROUGE-1": """0.66084 0.55036 0.75818
                      0.60530 0.49653 0.72201
                      0.61925 0.51450 0.71444""",
        "ROUGE-2": """0.21546 0.15103 0.27063
                      0.19222 0.13708 0.24632
                      0.19670 0.14264 0.24653""",
        "ROUGE-L": """0.53207 0.43480 0.60886
                      0.48125 0.38889 0.57066
                      0.49571 0.41164 0.57390""",
    },
}


def perl_draws(seed: int, documents: int) -> list[int]:
    """Draw as Perl's ``int(rand(N))`` does, in whole numbers: drand48 of POSIX."""
    state, draws = (seed << 16) + 0x330E, []
    for _ in range(documents):
        state = (state * 25214903917 + 11) % 2**48
        draws.append(documents * state // 2**48)
    return draws


@pytest.mark.parametrize("setting", PRINTED)
def test_averages_and_intervals_are_those_of_the_original(
    setting: tuple[int, int],
) -> None:
    settings = RougeSettings(Tokeniser(75, True, {}), 2, Resampling(*setting))
    result = score_corpus(SYSTEM, REFERENCES, settings)
    for metric, printed in PRINTED[setting].items():
        found = [result.averages[metric][kind] for kind in SCORES]
        ours = [[one.average, one.lower, one.upper] for one in found]
        assert ours == np.array(printed.split(), float).reshape(3, 3).tolist()


@given(st.integers(0, 999), st.integers(1, 40))
def test_resamples_equal_draws_in_whole_numbers(seed: int, documents: int) -> None:
    # Document number d scores d, and d squared.
    numbers = np.arange(documents, dtype=np.float64)
    means = resampled_means(np.stack([numbers, numbers**2], axis=1), 1000)
    draws = np.array(perl_draws(seed, documents), dtype=np.float64)
    np.testing.assert_allclose(means[seed], [draws.mean(), (draws**2).mean()])


def test_draws_are_those_of_perl() -> None:
    if shutil.which("perl") is None:
        pytest.skip("no perl")
    program = 'for $s (0, 1, 999) {srand($s); print int(rand(500)), " " for 1 .. 500}'
    printed = subprocess.run(
        ["perl", "-e", program], capture_output=True, text=True, check=True
    )
    ours = [draw for seed in (0, 1, 999) for draw in perl_draws(seed, 500)]
    assert list(map(int, printed.stdout.split())) == ours


def test_documents_are_drawn_in_the_order_of_their_names() -> None:
    # Of twelve: 1 10 11 12 2 3 …, against 0 1 10 11 2 3 ….
    scores = np.arange(12.0)[:, None] ** 3 / 2000
    by_name = [0, 9, 10, 11, 1, 2, 3, 4, 5, 6, 7, 8]
    from_0 = [0, 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9]
    as_given = Resampling(numbering="as-given")
    for numbering, order in (("from-1", by_name), ("from-0", from_0)):
        [found] = average(scores, Resampling(numbering=numbering))
        [expected] = average(scores[order], as_given)
        assert found.average == expected.average
        assert found.mean == pytest.approx(scores.mean())
    assert len({average(scores[o], as_given)[0] for o in (by_name, from_0)}) == 2


def test_one_document_has_no_spread() -> None:
    [found] = average(np.array([[0.25]]), Resampling())
    assert (found.average, found.lower, found.upper, found.mean) == (0.25,) * 4


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_interval_encloses_the_average(scores: list[float]) -> None:
    [found] = average(np.array(scores)[:, None], Resampling(resamples=100))
    assert min(scores) - 1e-5 <= found.lower <= found.average + 1e-5
    assert found.average - 1e-5 <= found.upper <= max(scores) + 1e-5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"confidence": 100.0}, "--confidence must lie between 0 and 100, not 100"),
        ({"resamples": 0}, "--resamples must be at least 100, not 0"),
        ({"numbering": "random"}, "--numbering must be one of"),
    ],
)
def test_settings_out_of_range_are_refused(
    arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(Mistake, match=message):
        Resampling(**arguments)  # type: ignore[arg-type]


def test_order_of_the_references_does_not_matter() -> None:
    ours = score_corpus(SYSTEM, REFERENCES)
    assert ours == score_corpus(SYSTEM, REFERENCES[::-1])


@pytest.mark.parametrize(
    ("system", "references", "message"),
    [
        ([], [[]], "nothing to score"),
        (["a"], [], "nothing to score"),
        (["a"], [["a"], ["a", "b"]], "1 lines of output, 2 of reference 2"),
    ],
)
def test_nothing_or_unequal_numbers_to_score(
    system: list[str], references: list[list[str]], message: str
) -> None:
    with pytest.raises(Mistake, match=message):
        score_corpus(system, references)
