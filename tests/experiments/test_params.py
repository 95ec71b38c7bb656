"""Table 1 of the paper and the sizes of the methods."""

import argparse
import math
import resource
from pathlib import Path

import pytest

from alone_experiments import params
from alone_experiments.mistakes import Mistake
from alone_fairseq.embeddings import TableSize
from alone_fairseq.embeddings.alone_options import AloneConfig
from alone_fairseq.errors import AloneError


def run(*words: str) -> None:
    parser = argparse.ArgumentParser()
    params.add_arguments(parser)
    params.run(parser.parse_args(words))


def test_sizes_take_no_memory(capsys: pytest.CaptureFixture[str]) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for bias in ("none", "unigram", "trained"):
        run("--vocabulary", "4294967295", "--softmax-bias", bias)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 100 * 1024  # KiB; the codes of the filters alone would take 34 GB
    assert f"{4294967295 * 512:,}" in capsys.readouterr().out


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
    table = TableSize(32768, 512)
    size = params.method_footprint(method, argparse.Namespace(), [table])
    assert size.trained_values == trained
    assert 4 * trained <= size.stored_bytes <= 4 * trained + 2000


def test_alone_does_not_grow_with_the_vocabulary() -> None:
    sizes = [
        params.method_footprint(
            "alone", argparse.Namespace(), [TableSize(vocabulary, 512)]
        )
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
        (
            ["--embedding-method", "low_rank", "--alone-inter-dim", "7"],
            "--alone-inter-dim belongs to --embedding-method alone",
        ),
        (
            ["--share", "0.5", "--low-rank-dim", "7"],
            "--low-rank-dim is what a size is solved for: remove it, or --share",
        ),
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
        (["--vocabulary=-3"], "--vocabulary: must be a whole number from 2, not -3"),
        (["--values", "0"], "--values: must be a whole number from 1, not 0"),
        (["--bytes", "-4"], "--bytes: must be a whole number from 1, not -4"),
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
        size = params.method_footprint("lookup", options, [TableSize(400, 8)])
        assert size.trained_values == size.stored_values == 3200 + values


# solving for a size


def test_a_share_becomes_a_size(capsys: pytest.CaptureFixture[str]) -> None:
    run("--share", "0.5", "--vocabulary", "9000", "--dim", "128")
    lines = {x.split()[0]: x for x in capsys.readouterr().out.splitlines()}
    assert "--alone-inter-dim 2249 " in lines["alone"]
    assert " 575,872 " in lines["alone"]
    assert "--low-rank-dim 63 " in lines["low_rank"]
    for method in ("lookup", "random"):
        assert "no size to choose" in lines[method]


def test_bytes_and_values(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--vocabulary", "9000", "--dim", "128", "--embedding-method", "low_rank")
    run("--values", "300000", *words)
    assert "--low-rank-dim 32 " in capsys.readouterr().out
    run("--bytes", "1000000", *words)
    assert "--low-rank-dim 27 " in capsys.readouterr().out
    run("--values", "9000", *words)
    assert "no --low-rank-dim is small enough" in capsys.readouterr().out


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with two dictionaries, of 30 and 50 words and 4 special symbols."""
    for language, size in (("de", 30), ("en", 50)):
        lines = "".join(f"w{number} {size - number}\n" for number in range(size))
        (tmp_path / f"dict.{language}.txt").write_text(lines)
    return tmp_path


def test_a_dictionary_in_place_of_a_number(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--embedding-method", "lookup", "--dim", "8")
    run("--vocabulary", str(folder / "dict.de.txt"), *words)
    assert f" {34 * 8} " in capsys.readouterr().out
    run("--vocabulary", str(folder), *words)
    out = capsys.readouterr().out
    assert "V = 34 and 54, D = 8" in out
    assert f" {88 * 8} " in out
    (folder / "dict.de.txt").write_text((folder / "dict.en.txt").read_text())
    run("--vocabulary", str(folder), *words)
    assert f" {54 * 8} " in capsys.readouterr().out


def test_characters_are_those_of_the_dictionary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "dict.txt"
    file.write_text("ab 3\nba 2\ncab 1\n")
    run(*["--vocabulary", str(file), "--dim", "4", "--embedding-method", "characters"])
    # a, b, one for c and all others, and the four special symbols.
    rows = 3 + 4
    values = rows * 4 + 8 * (2 * 4**2 + 4) + 2 * 4 * 4 + 4
    assert f"{values} " in capsys.readouterr().out.splitlines()[-1]


def test_two_tables_have_one_size(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--embedding-method", "low_rank", "--dim", "8", "--share", "0.5")
    run("--vocabulary", str(folder), *words)
    # Two tables with a D x r matrix each: 3 (34 + 54 + 16) of 88 * 8 / 2.
    assert "--low-rank-dim 3 " in capsys.readouterr().out
    for given in (("--softmax-bias", "trained"), ("--output-layer", "dense")):
        with pytest.raises(Mistake, match="two dictionaries: name the target's with"):
            run("--vocabulary", str(folder), "--dim", "8", *given)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--share", "half"], "--share must be above 0 and at most 1, not half"),
        (["--share", "1.5"], "--share must be above 0"),
        (["--share", "0.5", "--softmax-bias", "trained"], "leave it out"),
        (["--share", "0.5", "--output-layer", "joint"], "--output-layer takes"),
        (["--vocabulary", "nowhere"], "--vocabulary nowhere: is no number, and there"),
        (["--vocabulary", "."], r"--vocabulary \.: has no dict\.<language>\.txt"),
        (["--vocabulary", "README.md"], "README.md: is no dictionary of fairseq"),
    ],
)
def test_bad_sizes(
    words: list[str], message: str, monkeypatch: pytest.MonkeyPatch, repo_root: Path
) -> None:
    monkeypatch.chdir(repo_root)
    with pytest.raises(Mistake, match=message):
        run(*words)
