"""Scores of word vectors: similarity and analogy."""

import argparse
import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from alone_experiments import cli
from alone_experiments.mistakes import Mistake
from alone_experiments.word_vectors import analogy, similarity
from alone_experiments.word_vectors.analogy import Question, read_questions
from alone_experiments.word_vectors.vectors import VectorFile
from alone_experiments.word_vectors.word_pairs import Pair, read_pairs
from alone_experiments.word_vectors.word_vectors import WordVectors

# The facts that come with the files: name, rho, pairs covered.
KNOWN = [
    ("SIMLEX-999", 0.416, 623),
    ("WS-353-ALL", 0.701, 253),
    ("RG-65", 0.795, 13),
    ("MEN-TR-3k", 0.780, 1216),
]


@pytest.fixture(scope="module")
def google_news(shared_data: Callable[[str], Path]) -> WordVectors:
    folder = shared_data("vectors")
    return VectorFile(folder / "googlenews_word2vec.8000.300d.txt.gz").read()


@pytest.mark.parametrize(("name", "rho", "covered"), KNOWN)
def test_known_correlations(
    name: str,
    rho: float,
    covered: int,
    google_news: WordVectors,
    shared_data: Callable[[str], Path],
) -> None:
    pairs = read_pairs(shared_data("wordsim") / f"EN-{name}.txt")
    found = similarity.score(google_news, pairs)
    assert found.rho is not None
    assert (round(found.rho, 3), found.covered) == (rho, covered)


@pytest.mark.slow
def test_known_analogies(
    google_news: WordVectors, shared_data: Callable[[str], Path]
) -> None:
    questions = read_questions(shared_data("analogy") / "questions-words.txt")
    scores = analogy.score(google_news, questions)
    whole = scores[-1]
    assert (whole.section, whole.covered, whole.questions) == ("all", 4686, 19544)
    assert round(whole.add / whole.covered, 3) == 0.787
    assert len(scores) == 15
    assert sum(part.add for part in scores[:-1]) == whole.add


def rank(values: list[float]) -> np.ndarray:
    """Mean ranks by counting: what is smaller, and half of what is equal."""
    array = np.array(values)
    below = (array[None, :] < array[:, None]).sum(1)
    equal = (array[None, :] == array[:, None]).sum(1)
    ranks: np.ndarray = below + (equal + 1) / 2
    return ranks


few = st.lists(
    st.tuples(st.integers(0, 3), st.integers(-2, 2)), min_size=2, max_size=12
)


@given(few)
def test_ties_share_their_mean_rank(pairs: list[tuple[int, int]]) -> None:
    first, second = ([float(v) for v in side] for side in zip(*pairs, strict=True))
    found = similarity.spearman(first, second)
    if len(set(first)) < 2 or len(set(second)) < 2:
        assert found is None
        return
    assert found is not None
    expected = np.corrcoef(rank(first), rank(second))[0, 1]
    assert math.isclose(found, expected, abs_tol=1e-12)
    assert math.isclose(found, spearmanr(first, second).statistic, abs_tol=1e-12)


VECTORS = WordVectors(
    ["Sun", "sun", "MOON", "sky", "zero"],
    np.array([[1, 0], [0, 2], [1, 1], [1, 3], [0, 0]], np.float32),
)


@pytest.mark.parametrize("score", ["7.3.5", "5O", "nan", "-inf", "", "1,5"])
def test_a_damaged_score_in_the_first_line_is_no_header(
    score: str, tmp_path: Path
) -> None:
    file = tmp_path / "pairs"
    file.write_text(f"a\tb\t{score}\nc\td\t2\n")
    with pytest.raises(Mistake, match=f"{file}, line 1: must be two words"):
        read_pairs(file)


def test_an_unknown_header_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "pairs"
    file.write_text("left\tright\tscore\nc\td\t2\n")
    assert len(read_pairs(file)) == 1
    assert "line 1: 'left right score' is taken for a header" in capsys.readouterr().err
    file.write_text("Word 1\tWord 2\tHuman (mean)\nc\td\t2\n")
    assert len(read_pairs(file)) == 1
    assert capsys.readouterr().err == ""


def test_exact_form_first_then_any_case() -> None:
    assert [VECTORS.find(w) for w in ("sun", "Sun", "SUN", "moon", "star")] == [
        *(1, 0, 0, 2),
        None,
    ]


def test_pairs_with_a_missing_word_are_left_out() -> None:
    pairs = [Pair("sun", "sky", 9), Pair("sun", "moon", 5), Pair("sun", "star", 1)]
    found = similarity.score(VECTORS, pairs)
    assert (found.rho, found.covered, found.pairs) == (pytest.approx(1.0), 2, 3)
    assert similarity.score(VECTORS, pairs[1:]).rho is None
    only = similarity.score(VECTORS, pairs, lambda first, second: 3 in (first, second))
    assert only.covered == 1


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "v").write_text("a 1 0\nb 1 1\nc 0 1\n")
    (tmp_path / "p").write_text("a b 3\na c 1\nb c 2\na x 1\n")
    parser = argparse.ArgumentParser()
    similarity.add_arguments(parser)
    words = [tmp_path / "v", "--pairs", tmp_path / "p", "--json", tmp_path / "j"]
    similarity.run(parser.parse_args([str(word) for word in words]))
    rho = spearmanr([2**-0.5, 0, 2**-0.5], [3, 1, 2]).statistic
    assert f"{rho:.3f}         3       4" in capsys.readouterr().out
    score = json.loads((tmp_path / "j").read_text())["p"]
    assert score == {"rho": pytest.approx(rho), "covered": 3, "pairs": 4}


def test_files_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "v").write_text("a 1 0\nb 1 1\nc 0 1\n")
    paths = [tmp_path / name / "pairs" for name in "ab"]
    for path in paths:
        path.parent.mkdir()
        path.write_text("a b 1\nb c 2\n")
    asked = [f"{tmp_path}/v", "--pairs", *map(str, paths)]
    for command in (["similarity"], ["reconstruct", "--output", f"{tmp_path}/o.pt"]):
        with pytest.raises(Mistake, match=r"a/pairs and .*b/pairs have one name"):
            cli.main([*command, *asked])


def test_answers_are_those_of_the_formulas() -> None:
    generator = np.random.default_rng(1)
    vectors = generator.normal(size=(30, 5)).astype(np.float32)
    directions = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    asked = np.stack([generator.permutation(30)[:3] for _ in range(200)])
    added, multiplied = analogy.answer(directions, asked)

    def cosine(first: int, second: int) -> float:
        u, v = vectors[first].astype(float), vectors[second].astype(float)
        return float(u @ v / math.sqrt((u @ u) * (v @ v)))

    for (a, b, c), by_sum, by_product in zip(asked, added, multiplied, strict=True):
        rest = [d for d in range(30) if d not in (a, b, c)]
        assert by_sum == max(
            rest, key=lambda d: cosine(d, b) - cosine(d, a) + cosine(d, c)
        )
        assert by_product == max(
            rest,
            key=lambda d: (
                (1 + cosine(d, b)) / 2 * (1 + cosine(d, c)) / 2
                / ((1 + cosine(d, a)) / 2 + 0.001)
            ),
        )  # fmt: skip


def test_sections_and_coverage() -> None:
    vectors = WordVectors(
        ["man", "king", "woman", "queen", "apple"],
        np.array([[1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1], [0.5, 0.5, -1]]),
    )
    questions = [
        Question("royal", ("man", "king", "woman", "queen")),
        Question("royal", ("man", "king", "woman", "duchess")),
        Question("fruit", ("man", "king", "woman", "apple")),
    ]
    assert analogy.score(vectors, questions) == [
        analogy.AnalogyScore("royal", 1, 2, 1, 1),
        analogy.AnalogyScore("fruit", 1, 1, 0, 0),
        analogy.AnalogyScore("all", 2, 3, 1, 1),
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--data", "nowhere"], "--data needs a checkpoint: remove it"),
        (["--side", "target"], "--side needs a checkpoint: remove it"),
        (["--words", "4"], "holds 3 words, 4 were asked for"),
    ],
)
def test_what_nothing_would_heed_is_refused(
    words: list[str], message: str, tmp_path: Path
) -> None:
    (tmp_path / "v").write_text("a 1 0\nb 1 1\nc 0 1\n")
    (tmp_path / "p").write_text("a b 3\n")
    given = [str(tmp_path / "v"), "--pairs", str(tmp_path / "p")]
    with pytest.raises(Mistake, match=message):
        cli.main(["similarity", *given, *words])
