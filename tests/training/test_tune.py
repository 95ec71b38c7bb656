"""Grids of settings: which trials they make, what is recorded, and which is best."""

import argparse
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from alone_experiments import tune
from alone_experiments.cli import main
from alone_experiments.jobs import Job
from alone_experiments.mistakes import Mistake
from alone_experiments.repository import CONFIGS
from alone_experiments.results.tuning_table import tuning_table
from alone_experiments.training import grid
from alone_experiments.training.experiment import find_row, flag_value
from alone_experiments.training.validate_averages import Validated

LOG = """\
2026-01-01 10:00:00 | INFO | fairseq_cli.train | training on 1 devices
2026-01-01 10:00:05 | INFO | valid | {{"valid_num_updates": "5", "valid_loss": "1", \
"valid_ppl": "2"}}
2026-01-01 10:00:09 | INFO | valid | {{"valid_num_updates": "10", "valid_loss": \
"{loss}", "valid_ppl": "{ppl}"}}
"""
ROW = CONFIGS / "toy" / "lookup.flags"
DIVERGES = "9"
"""A rate with which a training diverges."""


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Trainings that only leave a log: a loss of 100 times the rate, in their order."""
    names: list[str] = []

    def do_jobs(jobs: Sequence[Job], at_once: int) -> None:
        assert len(jobs) <= at_once
        for job in jobs:
            command = list(job.commands[-1])
            folder = Path(command[command.index("--save-dir") + 1])
            folder.mkdir(parents=True, exist_ok=True)
            rate = float(command[command.index("--lr") + 1])
            log = LOG.format(loss=100 * rate, ppl=2 ** (100 * rate))
            (folder / "train.log").write_text(log)
            (folder / "code").write_text("0123456789 clean\n")
            row = find_row(command[2])
            words = [*row.recipe(), *row.flags(), *command[3:]]
            (folder / "command").write_text("\n".join(words))
            (folder / "checkpoint_last.pt").touch()
            said = "alone_fairseq: error: the training diverged: lower --lr"
            (folder / "errors").write_text(said * (rate == float(DIVERGES)))
            assert job.may_fail() == (rate == float(DIVERGES))
            names.append(job.name)

    monkeypatch.setattr(tune, "do_jobs", do_jobs)
    monkeypatch.setenv("ALONE_OUTPUT", str(tmp_path))
    return names


def run(*words: str) -> None:
    main(["tune", str(ROW), *words])


def test_every_combination_is_tried_once_and_recorded(
    trained: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grid = ("--grid", "lr=0.02,0.005,0.01", "--grid", "dropout=0,0.1")
    run(*grid, "--seed", "3", "--jobs", "4", "--", "--max-update", "10")
    assert trained == [
        f"lookup--lr{rate}--dropout{dropout}--seed3"
        for rate in ("0.02", "0.005", "0.01")
        for dropout in ("0", "0.1")
    ]
    folder = tmp_path / "results" / "tuning"
    records = [json.loads(file.read_text()) for file in folder.glob("*.json")]
    assert len(records) == 6
    for record in records:
        command = record["command"]
        for flag, value in record["setting"].items():
            assert flag_value(f"--{flag}", command) == value
        assert flag_value("--max-update", command) == "10"
        assert (record["row"], record["seed"]) == ("lookup", 3)
        assert {"commit", "versions", "hardware", "created"} <= record.keys()
    assert not [*tmp_path.rglob("*.pt")]
    printed = capsys.readouterr().out
    assert cells_of(printed)[1:] == [
        ["toy/lookup", "lr 0.005, dropout 0", "**1.41**"],
        ["toy/lookup", "lr 0.005, dropout 0.1", "**1.41**"],
        ["toy/lookup", "lr 0.01, dropout 0", "2.00"],
        ["toy/lookup", "lr 0.01, dropout 0.1", "2.00"],
        ["toy/lookup", "lr 0.02, dropout 0", "4.00"],
        ["toy/lookup", "lr 0.02, dropout 0.1", "4.00"],
    ]
    assert (folder / "table.md").read_text() == printed
    main(["table", str(folder)])
    assert capsys.readouterr().out == printed
    usual = ("--seed", "3", "--", "--max-update", "10")
    run(*grid, *usual)
    assert len(trained) == 6
    with pytest.raises(Mistake, match=r"update 10' for all trials, now '.* 20'"):
        run(*grid, *usual[:-1], "20")
    run("--grid", "lr=0.3,0.3", *usual)
    assert trained[6:] == ["lookup--lr0.3--seed3"]


def test_trials_of_other_flags_are_not_mixed(
    trained: list[str], tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(ROW.parent, folder)
    words = ["tune", str(folder / ROW.name), "--grid", "lr=0.01,0.02"]
    main(words)
    # What a grid chose may become the row's own.
    with (folder / ROW.name).open("a") as row:
        row.write("--lr 0.01\n")
    main([*words[:-1], "lr=0.01,0.02,0.03"])
    assert len(trained) == 3
    with (folder / "recipe.flags").open("a") as recipe:
        recipe.write("--dropout 0.3\n--max-tokens 4096\n")
    with pytest.raises(Mistake, match=r"changed \(--dropout, --max-tokens\): add --f"):
        main(words)
    main([*words, "--force"])
    assert len(trained) == 5


def test_the_rows_own_setting_is_known() -> None:
    row = find_row(ROW)
    flags = row.recipe()
    own = flags[flags.index("--lr") + 1]
    found = {
        trial.flags: trial.is_the_rows()
        for trial in grid.trials([row], 1, [("lr", (own, "9"))])
    }
    assert found == {(("lr", own),): True, (("lr", "9"),): False}


def test_a_switch_of_the_grid_is_given_without_a_value() -> None:
    row = find_row(CONFIGS / "toy" / "alone_real.flags")
    for switch, own in (("alone-centre", True), ("alone-freeze-base", False)):
        assert (f"--{switch}" in row.flags()) == own
        (trial,) = grid.trials([row], 1, [grid.settings(f"{switch}=on")])
        assert trial.words() == [f"--{switch}"]
        assert trial.is_the_rows() == own


def trial(row: str, rate: str, own: bool, perplexity: float) -> dict[str, object]:
    return {
        "experiment": "toy",
        "row": row,
        "seed": 1,
        "setting": {"lr": rate},
        "is_the_rows": own,
        "updates": 10,
        "commit": "abc",
        "valid": {"ppl": [[10, perplexity]]},
    }


def cells_of(table: str) -> list[list[str]]:
    head, _, *lines = (line for line in table.splitlines() if line.startswith("|"))
    return [[c.strip() for c in line.split("|")[1:-1]] for line in (head, *lines)]


def test_the_table_names_the_setting_that_each_row_has() -> None:
    trials = [trial("a", "1", True, 3.0), trial("a", "2", False, 2.0)]
    assert cells_of(tuning_table([*trials, trial("b", "2", True, 4.0)])) == [
        ["row", "own setting", "lr 1", "lr 2"],
        ["toy/a", "lr 1", "3.00", "**2.00**"],
        ["toy/b", "lr 2", "", "4.00"],
    ]


def test_rows_without_a_setting_in_common_have_a_line_a_trial() -> None:
    trials = [trial("a", "1", True, 3.0), trial("a", "2", False, 2.0)]
    assert cells_of(tuning_table([*trials, trial("b", "3", True, 4.0)])) == [
        ["row", "setting", "own", "perplexity"],
        ["toy/a", "lr 1", "yes", "3.00"],
        ["toy/a", "lr 2", "", "**2.00**"],
        ["toy/b", "lr 3", "yes", "4.00"],
    ]
    both = [{**each, "is_the_rows": True} for each in trials]
    _, *lines = cells_of(tuning_table([*both, trial("b", "3", True, 4.0)]))
    assert [own for _, _, own, _ in lines] == ["yes"] * 3


def test_settings_of_several_flags_have_a_line_a_trial() -> None:
    trials = [
        {**trial("a", "1", False, float(factor)), "setting": {"lr": "1", "x": factor}}
        for factor in "32"
    ]
    assert cells_of(tuning_table(trials)) == [
        ["row", "setting", "perplexity"],
        ["toy/a", "lr 1, x 2", "**2.00**"],
        ["toy/a", "lr 1, x 3", "3.00"],
    ]


def test_rows_with_few_settings_in_common_have_a_line_a_trial() -> None:
    tried = {"a": "12", "b": "23", "c": "45", "d": "67"}
    trials = [trial(row, s, False, 2.0) for row in tried for s in tried[row]]
    head, *lines = cells_of(tuning_table(trials))
    assert head[:2] == ["row", "setting"]
    assert [(row[-1], setting[-1]) for row, setting, *_ in lines] == [
        (row, s) for row in tried for s in tried[row]
    ]


@pytest.mark.parametrize("text", ["lr", "lr=", "=1", "lr=1,,2", "lr=1 2", ""])
def test_a_bad_line_of_a_grid_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="lr=0"):
        grid.settings(text)


def test_a_switch_of_the_grid_has_no_other_value() -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="alone-centre=on alone"):
        grid.settings("alone-centre=on,off")


def test_a_flag_is_named_once() -> None:
    with pytest.raises(Mistake, match="twice"):
        [*grid.trials([find_row(ROW)], 1, [("lr", ("1",)), ("lr", ("2",))])]


def test_a_trial_that_diverges_is_recorded_and_ends_no_other(
    trained: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grid = ("--grid", f"lr={DIVERGES},0.02,0.01")
    run(*grid, "--jobs", "2")
    table = capsys.readouterr().out
    cells = [cell.strip() for cell in table.splitlines()[2].split("|")]
    assert cells[-4:-1] == ["**2.00**", "4.00", "diverged"]
    records = {
        record["setting"]["lr"]: record["diverged"]
        for file in (tmp_path / "results" / "tuning").glob("*.json")
        for record in [json.loads(file.read_text())]
    }
    assert records == {"0.01": False, "0.02": False, DIVERGES: True}
    assert not [*tmp_path.rglob("*.pt")]
    run(*grid, "--jobs", "2")
    assert len(trained) == 3


@pytest.mark.parametrize(
    ("updates", "interval", "line"),
    [
        (0, 2, "needs a checkpoint of the last update: add -- --max-update N"),
        (10, 0, "needs a checkpoint of the last update"),
        (9, 2, "needs a checkpoint of the last update"),
        (6, 2, "--averages 5: lookup--lr0.01--seed1 saves 3 checkpoints"),
    ],
)
def test_averages_of_more_than_is_saved_are_refused(
    updates: int, interval: int, line: str, trained: list[str]
) -> None:
    saves = ["--max-update", str(updates), "--save-interval-updates", str(interval)]
    with pytest.raises(Mistake, match=line):
        run("--grid", "lr=0.01", "--averages", "1,5", "--", *saves)
    assert not trained


def test_averages_are_recorded_each(
    trained: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def validate(*arguments: Any) -> list[Validated]:
        _, _, counts, moving = arguments
        found = [Validated(str(n), 10, n / 2, float(n)) for n in counts]
        return [*found, *[Validated("moving", 10, 4.0, 16.0)] * moving]

    monkeypatch.setattr(tune, "validate_averages", validate)
    saves = ["--max-update", "10", "--save-interval-updates", "2", "--store-ema"]
    own = "0.003"
    words = ["--grid", f"lr={own},{DIVERGES}", "--averages", "1,3", "--jobs", "2", "--"]
    run(*words, *saves)
    assert len(trained) == 2
    records = {
        (record["setting"]["lr"], record["setting"]["averaged"]): record
        for record in (
            json.loads(file.read_text())
            for file in (tmp_path / "results" / "tuning").glob("*.json")
        )
    }
    assert len(records) == 6
    for (rate, averaged), record in records.items():
        assert record["diverged"] == (rate == DIVERGES)
        assert record["is_the_rows"] == ((rate, averaged) == (own, "3"))
        if rate == own and averaged != "moving":
            assert record["valid"]["ppl"] == [[10, float(averaged)]]
    run(*words, *saves)
    assert len(trained) == 2
