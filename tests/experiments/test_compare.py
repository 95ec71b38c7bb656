"""``alone-fairseq compare`` on a corpus: what is run, and what is refused."""

import shlex
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from alone_experiments import cli, compare
from alone_experiments.mistakes import Mistake
from alone_experiments.training.recipes import rows_of_recipe


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A prepared corpus, but for its contents."""
    monkeypatch.setenv("ALONE_OUTPUT", str(tmp_path / "output"))
    folder = tmp_path / "talks"
    for name in ("bin/dict.nl.txt", "bin/dict.it.txt", "bin/train.nl-it.nl.idx"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    (folder / "raw").mkdir()
    (folder / "raw" / "test.it").write_text("frase\n")
    return folder


def words(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[list[str]]:
    cli.main(["compare", *map(str, arguments), "--dry-run"])
    return [shlex.split(line) for line in capsys.readouterr().out.splitlines()]


def test_rows_are_trained_and_evaluated_on_the_corpus(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "output/compare/talks/small-0.5"
    for folder in (corpus, corpus / "bin"):
        steps = words(capsys, folder, "--max-update", 9)
        assert [step[2].rpartition("/")[2] for step in steps[::2]] == [
            "lookup.flags",
            "low_rank.flags",
            "alone.flags",
        ]
        where = ["--data", str(corpus), "--save-dir", f"{place}/runs/lookup--seed1"]
        config = "configs/recipes/small/lookup.flags"
        which = [config, "--seed", "1", *where]
        # The rate falls over as many updates as there are.
        updates = ["--max-update", "9", "--total-num-update", "9"]
        assert steps[0][1:] == ["scripts/train.sh", *which, "--", *updates]
        results = ["--results", f"{place}/results"]
        assert steps[1][1:] == ["scripts/evaluate.sh", *which, *results]


def test_a_corpus_may_have_other_files_beside_it(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (corpus / "low_rank.json").write_text("{}")
    assert len(words(capsys, corpus, "--methods", "lookup")) == 2


def test_methods_seeds_recipe_and_share(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--methods", "alone,random", "--seed", "3,4", "--share", "0.25"]
    steps = words(capsys, corpus, *options, "--recipe", "large")
    trainings = [step for step in steps if step[1] == "scripts/train.sh"]
    assert [(step[2], step[4]) for step in trainings] == [
        (f"configs/recipes/large/{row}.flags", seed)
        for seed in "34"
        for row in ("alone", "random")
    ]
    twice = ["--methods", "alone,random,alone", "--seed", "3,4,3", "--share", "0.25"]
    assert words(capsys, corpus, *twice, "--recipe", "large") == steps
    assert trainings[0][-3:] == ["--", "--alone-inter-dim", "auto:0.25"]
    assert "--" not in trainings[1]


def test_own_values_shrink_with_the_share() -> None:
    alone, lookup = rows_of_recipe("small", ["alone", "lookup"])
    half = dict(pairwise(alone.flags()))
    expected = ["--alone-inter-dim", "auto:0.125"]
    expected += ["--alone-own-dim", str(int(half["--alone-own-dim"]) // 4)]
    assert compare.sizes(alone, 0.125) == expected
    assert compare.sizes(alone, 0.5) == compare.sizes(lookup, 0.125) == []


def test_data_of_other_hands_need_their_reference(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = (corpus / "bin").rename(tmp_path / "data-bin")
    with pytest.raises(Mistake, match=r"raw/test.it: give .* --reference FILE"):
        words(capsys, data)
    with pytest.raises(Mistake, match="--reference: no file missing"):
        words(capsys, data, "--reference", "missing")
    reference = tmp_path / "reference.txt"
    reference.write_text("frase\n")
    steps = words(capsys, data, "--reference", reference)
    view = Path(steps[0][steps[0].index("--data") + 1])
    assert not view.exists()
    found = compare.find_corpus(data, reference, view.parent)
    assert found == (view, view / "raw/test.it")
    assert found[1].read_text() == "frase\n"
    assert (view / "bin").resolve() == data
    assert compare.find_corpus(data, reference, view.parent) == found
    # Of other data there is another comparison.
    other = tmp_path / "other" / data.name
    shutil.copytree(data, other)
    with pytest.raises(Mistake, match=f"has a comparison on {data}, now it is {other}"):
        words(capsys, other, "--reference", reference)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--methods", "lookup,alnoe"], "recipe small has no row alnoe; there are"),
        (["--recipe", "tiny"], "no recipe tiny; there are: large small"),
        (["--share", "1.5"], "--share must be over 0 and at most 1, not 1.5"),
        (["--share", "nan"], "--share must be over 0 and at most 1, not nan"),
    ],
)
def test_bad_options_are_refused(
    corpus: Path,
    options: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(Mistake, match=message):
        words(capsys, corpus, *options)


def test_a_target_that_is_no_language_is_refused_before_the_training(
    corpus: Path,
) -> None:
    for file in (corpus / "bin").glob("*it*"):
        file.rename(file.with_name(file.name.replace("it", "tgt")))
    with pytest.raises(Mistake, match="'tgt' is no code of a language"):
        cli.main(["compare", str(corpus), "--dry-run"])


def test_a_folder_without_data_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Mistake, match=f"{tmp_path} has neither results nor a prepared"):
        words(capsys, tmp_path)


def test_a_folder_of_results_is_compared_as_before(tmp_path: Path) -> None:
    (tmp_path / "x--seed1.json").write_text('{"row": "x"}')
    with pytest.raises(Mistake, match="is no record of a run"):
        cli.main(["compare", str(tmp_path)])
