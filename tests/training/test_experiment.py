"""Experiments as folders of flags."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alone_experiments.mistakes import Mistake
from alone_experiments.repository import CONFIGS, ROOT
from alone_experiments.training.experiment import (
    Comparison,
    Row,
    data_folder,
    experiments,
    find_row,
    flag_value,
    preparing_script,
    read_flags,
    rows_of,
)

names = st.from_regex(r"--[a-z]+(-[a-z]+)*", fullmatch=True)
values = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"])).map(
    lambda text: text.replace("#", "")
)
spaced = st.lists(values.filter(bool), max_size=3).map(" ".join)
blanks = st.sampled_from([" ", "\t", "   "])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "exp"
    folder.mkdir()
    for name in (
        "recipe",
        "average",
        "generate",
        "score",
        "headlines_duc",
        "headlines",
    ):
        (folder / f"{name}.flags").write_text("--x\n")
    for name in ("alone", "lookup", "a_b"):
        (folder / f"{name}.flags").write_text(f"--arch {name}\n")
    return folder


@given(st.lists(st.tuples(names, spaced, blanks), max_size=5), st.booleans())
def test_every_line_is_one_flag_with_its_value_as_it_stands(
    lines: list[tuple[str, str, str]], windows: bool
) -> None:
    end = "\r\n" if windows else "\n"
    texts = [f"{blank}{name}{blank}{value}" for name, value, blank in lines]
    expected = [word for name, value, _ in lines for word in (name, value) if word]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "row.flags"
        file.write_bytes(end.join(["# comment", "", *texts]).encode())
        assert read_flags(file) == expected


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("arch x", "row.flags line 2 is no flag: arch x; write --flag value"),
        ("--lr 0.1 # high", "row.flags line 2: give the comment a line of its own"),
        ("-lr 0.1", "line 2 is no flag"),
    ],
)
def test_bad_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "row.flags"
    file.write_text(f"# comment\n{line}\n")
    with pytest.raises(Mistake, match=message):
        read_flags(file)


def test_last_value_of_a_flag_counts() -> None:
    words = ["--lr", "1", "--lr=2", "--lrx", "3", "--fp16"]
    assert flag_value("--lr", words) == "2"
    assert flag_value("--fp16", words) == ""
    assert flag_value("--x", words) is None


def test_rows_are_all_that_is_no_setting_and_look_up_is_first(folder: Path) -> None:
    assert rows_of(folder) == ["lookup", "a_b", "alone"]
    row = find_row(folder / "alone.flags")
    assert (row.experiment, row.name) == ("exp", "alone")
    assert row.recipe() + row.flags() == ["--x", "--arch", "alone"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("exp/aloen.flags", "aloen.flags is no row; the rows of exp: lookup a_b alone"),
        ("exp/headlines_duc.flags", "headlines_duc.flags is no row"),
        ("exp/alone", "alone is no row"),
        (
            "nowhere/alone.flags",
            "nowhere/alone.flags is no row of an experiment; name a file such as",
        ),
    ],
)
def test_what_is_no_row_is_refused(folder: Path, name: str, message: str) -> None:
    with pytest.raises(Mistake, match=message):
        find_row(folder.parent / name)


def test_row_names_what_it_is_compared_with(folder: Path) -> None:
    file = folder / "alone.flags"
    file.write_text("# Compared with: a_b (its twin)\n# Compared with: c\n--arch x\n")
    assert Row(file).comparisons() == [
        Comparison("a_b", "its twin"),
        Comparison("c", "c"),
    ]
    assert Row(folder / "lookup.flags").comparisons() == []
    assert Row(folder / "gone.flags").comparisons() == []


@pytest.mark.parametrize("experiment", experiments())
def test_every_comparison_names_another_row(experiment: str) -> None:
    rows = rows_of(CONFIGS / experiment)
    for name in rows:
        for other in Row(CONFIGS / experiment / f"{name}.flags").comparisons():
            assert other.row in rows
            assert other.row != name


def test_experiments_share_a_corpus_unless_they_had_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALONE_OUTPUT", str(tmp_path))
    data = tmp_path / "data"
    assert data_folder(CONFIGS / "multi30k_cpu") == data / "multi30k"
    assert data_folder(CONFIGS / "toy") == data / "toy"
    (data / "multi30k_cpu").mkdir(parents=True)
    (data / "multi30k_cpu" / "prepared").touch()
    assert data_folder(CONFIGS / "multi30k_cpu") == data / "multi30k_cpu"
    assert data_folder(CONFIGS / "multi30k_vectors") == data / "multi30k"


def test_every_experiment_names_a_script_that_prepares_its_corpus() -> None:
    made = {name: preparing_script(CONFIGS / name) for name in experiments()}
    assert all((ROOT / script).is_file() for script in made.values())
    assert made["multi30k_cpu"] == "data-prep/multi30k_cpu.sh"
    assert made["output_layers_tatoeba"] == "data-prep/tatoeba_en_de.sh"
