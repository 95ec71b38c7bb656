"""Table 1 of the paper and the sizes of the methods."""

import argparse
import math

import pytest

from alone_experiments import params
from alone_experiments.mistakes import Mistake
from alone_fairseq.embeddings.alone_options import AloneConfig
from alone_fairseq.errors import AloneError


def run(*words: str) -> None:
    parser = argparse.ArgumentParser()
    params.add_arguments(parser)
    params.run(parser.parse_args(words))


def test_table_1_at_the_size_of_the_paper() -> None:
    table = params.memory_table(AloneConfig(), 37_000, 512, 512 + 4096 * 1024)
    assert table == {
        "conventional way": 18_944_000,
        "ALONE (naive)": 512 + 4096 * 1024 + 18_944_000,
        "ALONE (proposed)": 512 + 4096 * 1024 + 262_144,
        "ALONE (proposed (volatile))": 4_194_816,
    }


@pytest.mark.parametrize(
    ("method", "trained"),
    [
        ("lookup", 32768 * 512),
        ("low_rank", 128 * (32768 + 512)),
        ("random", 0),
        ("alone", 4_194_816),
    ],
)
def test_footprints(method: str, trained: int) -> None:
    size = params.method_footprint(method, argparse.Namespace(), 32768, 512)
    assert size.trained_values == trained
    assert 4 * trained <= size.stored_bytes <= 4 * trained + 2000


def test_alone_does_not_grow_with_the_vocabulary() -> None:
    sizes = [
        params.method_footprint("alone", argparse.Namespace(), vocabulary, 512)
        for vocabulary in (32_768, 1_000_000)
    ]
    assert sizes[0].trained_values == sizes[1].trained_values
    assert sizes[1].stored_bytes - sizes[0].stored_bytes == 4 * 2  # two more digits


def test_collision_probability_of_the_paper() -> None:
    exact = params.collision_probability(37_000, 8, 64)
    assert exact == pytest.approx(37_000**2 / 2 / 64.0**8, rel=1e-5)


@pytest.mark.parametrize(
    ("vocabulary", "codebooks", "size"), [(1000, 2, 30), (50, 1, 64), (23, 1, 365)]
)
def test_collision_probability(vocabulary: int, codebooks: int, size: int) -> None:
    expected = 1 - math.exp(-(vocabulary**2) / (2 * size**codebooks))
    probability = params.collision_probability(vocabulary, codebooks, size)
    assert probability == pytest.approx(expected)


def test_extreme_collision_probabilities() -> None:
    assert params.collision_probability(10**7, 1, 1) == 1.0
    assert 0.0 < params.collision_probability(2, 64, 256) < 1e-100


def test_the_command_prints_both_tables(capsys: pytest.CaptureFixture[str]) -> None:
    run("--vocabulary", "37000", "--alone-inter-dim", "4096")
    out = capsys.readouterr().out
    assert "23,138,816" in out
    assert "4,194,816" in out
    assert "2.4e-06" in out
    for method in ("lookup", "low_rank", "random", "alone"):
        assert method in out


def test_one_method(capsys: pytest.CaptureFixture[str]) -> None:
    run("--embedding-method", "low_rank", "--low-rank-dim", "256")
    out = capsys.readouterr().out
    assert f"{256 * (32768 + 512):,}" in out
    assert "alone" not in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--vocabulary", str(2**32 - 1), "--dim", str(2**32 - 1)], "as large as"),
        (["--alone-inter-dim", "0"], "--alone-inter-dim"),
        (["--alone-inter-dim", "9" * 20], "no table of alone can be as large as"),
        (["--embedding-method", "look"], "does not exist"),
    ],
)
def test_bad_input(words: list[str], message: str) -> None:
    with pytest.raises((Mistake, AloneError), match=message):
        run(*words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--vocabulary", "0"], "--vocabulary: must be a whole number from 2, not 0"),
        (["--vocabulary", "9" * 20], "--vocabulary: must be at most 4294967295, not 9"),
        (["--dim", "9" * 5000], "--dim: must be at most 4294967295, not 9"),
        (["--dim", "-3"], "--dim: must be a whole number from 1, not -3"),
    ],
)
def test_bad_numbers(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run(*words)
    assert message in capsys.readouterr().err


def test_a_trained_bias_counts() -> None:
    for kind, values in (("none", 0), ("unigram", 0), ("trained", 400)):
        options = argparse.Namespace(softmax_bias=kind)
        size = params.method_footprint("lookup", options, 400, 8)
        assert size.trained_values == size.stored_values == 3200 + values
