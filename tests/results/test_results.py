"""Tables, plots and translations made from result files."""

import contextlib
import io
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from alone_experiments import cli
from alone_experiments.mistakes import exit_status
from alone_experiments.repository import ROOT
from alone_experiments.results import plot_loss, show_translations, table
from alone_experiments.results.table import make_table_of


def record(row: str, values: int, bleu: float, **other: Any) -> dict[str, Any]:
    return {
        "experiment": "exp",
        "row": row,
        "method": row.partition("_")[0],
        "seed": 1,
        "test": {"bleu": bleu, "signature": "sig", "sentences": 2},
        "footprint": {"trained_values": values, "stored_bytes": 4 * values + 100},
        "lookup_values": 1_254_400,
        "commit": "0123456789abcdef",
        "dirty": False,
        "updates": 8000,
        "train_tokens_per_second": 1000.4,
        "valid": {"loss": [[100, 5.0], [200, 4.0]], "ppl": [[100, 9.0], [200, 8.0]]},
        "hardware": {"cpu": "Abacus", "cores": 2, "gpu": None},
        "data": {"raw/test.de": "abc"},
        **other,
    }


RECORDS = [
    record("alone_real", 627_200, 35.125, seed=1),
    record("alone_real", 627_200, 36.125, seed=2, train_tokens_per_second=2000),
    record("random", 0, 30.0),
    record("lookup", 1_254_400, 36.5),
]


def run(*words: object) -> subprocess.CompletedProcess[str]:
    """Run a command, in this process."""
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        status = exit_status(lambda: cli.main([*map(str, words)]))
    return subprocess.CompletedProcess(
        words, status, output.getvalue(), errors.getvalue()
    )


def write(folder: Path, records: list[dict[str, Any]]) -> Path:
    for number, entry in enumerate(records):
        (folder / f"{number}.json").write_text(json.dumps(entry))
    return folder


def cells(text: str) -> list[dict[str, str]]:
    """Read the rows of a table by the names of their columns."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[2:]]


def test_table(tmp_path: Path) -> None:
    done = run("table", write(tmp_path, RECORDS))
    names = ["row", "method", "embedding values", "share of lookup", "stored bytes"]
    expected = [
        ["lookup", "lookup", "1,254,400", "100.0%", "5,017,700", "36.50", "8.00"],
        ["alone_real", "alone", "627,200", "50.0%", "2,508,900"],
        ["random", "random", "0", "0.0%", "100", "30.00", "8.00"],
    ]
    expected[1] += ["35.62 ± 0.71 (2 seeds)", "8.00 ± 0.00 (2 seeds)"]
    assert [[*row.values()] for row in cells(done.stdout)] == expected
    assert [*cells(done.stdout)[0]] == [*names, "BLEU", "perplexity"]
    assert [line.rstrip() for line in done.stdout.splitlines()[5:]] == [
        "",
        "SacreBLEU: sig",
        "Perplexity: of the validation set, at the end of the training.",
        "No test of significance: the translations were not kept.",
        "Updates: 8,000.",
        "Hardware: Abacus, 2 cores. Commit: 0123456789ab.",
    ]


def test_table_of_reconstructions_stays() -> None:
    folder = ROOT / "results/reconstruction"
    assert make_table_of(folder) == (folder / "table.md").read_text()


def test_record_without_a_field_is_told_in_one_line(tmp_path: Path) -> None:
    broken = {name: value for name, value in RECORDS[0].items() if name != "footprint"}
    done = run("table", write(tmp_path, [broken]))
    assert done.returncode == 1
    assert f"a record in {tmp_path} has no 'footprint': make it again" in done.stderr


def test_columns_that_newer_records_fill() -> None:
    test = {"bleu": 27.0, "signature": "sig", "test_set": "wmt14/full:en-de"}
    split = {"bleu": 28.126, "signature": "tok:none"}
    real = record(
        "alone_real_half_published",
        8_389_120,
        27.0,
        experiment="wmt16_en_de",
        command=["--alone-inter-dim", "4096", "--alone-inter-dim=8192"],
        total_values=52_500_000,
        test=test | {"compound_split": split},
    )
    other = record("mine", 5, 1.0, experiment="wmt16_en_de")
    text = table.make_table([real, other])
    first, second = cells(text)
    assert (first["H"], second["H"]) == ("8192", "")
    solved = table.make_table([{**real, "inner_size": 978}])
    assert cells(solved)[0]["H"] == "978"
    assert (first["total values"], second["total values"]) == ("52,500,000", "")
    assert (first["split BLEU"], second["split BLEU"]) == ("28.13", "")
    assert first["perplexity"] == "8.00"
    published = [row["BLEU in the paper"] for row in (first, second)]
    assert published == ["27.61", ""]
    assert "Test set: SacreBLEU's wmt14/full:en-de." in text
    assert "for comparison with older papers only: tok:none" in text


@pytest.mark.parametrize(
    ("change", "remark"),
    [
        ({"updates": 10}, "Rows differ in their number of updates"),
        ({"data": {}}, "Rows differ in their data"),
        ({"dirty": True}, "not for publication"),
        ({"hardware": {"cpu": "A", "cores": 8, "gpu": "G"}}, "A, 8 cores, G, Abacus"),
    ],
)
def test_what_makes_rows_incomparable_is_said(
    change: dict[str, Any], remark: str
) -> None:
    assert remark in table.make_table([*RECORDS, record("x", 1, 1.0, **change)])


def test_merges_that_a_record_lacks_make_no_other_data() -> None:
    data = RECORDS[0]["data"]
    one, other = (
        record(row, 1, 1.0, data={**data, "bpe/codes": row}) for row in ("x", "y")
    )
    assert "Rows differ in their data" not in table.make_table([*RECORDS, one])
    for rows in ([one, other], [record("z", 1, 1.0, data={**data, "raw/a": "b"})]):
        assert "Rows differ in their data" in table.make_table([*RECORDS, *rows])


@pytest.mark.parametrize("command", ["table", "plot"])
def test_folders_without_records(command: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other/settings.json").write_text("{}")
    told = {
        "none": "none: no such folder;",
        "empty": "empty holds no records;",
        "other": "other/settings.json is no record of a run;",
    }
    for name, message in told.items():
        done = run(command, tmp_path / name)
        assert done.returncode != 0
        assert done.stderr.startswith(f"alone-fairseq: error: {tmp_path}/{message}")
        assert done.stderr.count("\n") == 1


def test_damaged_result_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"row":')
    done = run("table", tmp_path)
    assert done.returncode != 0
    assert len(done.stderr.splitlines()) == 1
    assert f"{tmp_path}/a.json is damaged" in done.stderr


def test_plot_joins_the_seeds_of_a_row_where_all_have_a_loss() -> None:
    runs = [
        {"valid": {"loss": [[100, 5.0], [200, 4.0], [250, 3.5]]}},
        {"valid": {"loss": [[100, 6.0], [200, 4.5]]}},
    ]
    expected = {100: [5.0, 6.0], 200: [4.0, 4.5]}
    assert plot_loss.loss_by_update(runs) == expected


def test_plot_is_a_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="plots are an extra")
    picture = tmp_path / "validation_loss.png"
    done = run("plot", write(tmp_path, RECORDS))
    assert done.returncode == 0, done.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_translations_are_spread_over_the_test_set() -> None:
    assert show_translations.choose(500, 3) == [83, 250, 416]
    assert show_translations.choose(1, 1) == [0]


def test_translations_stand_below_their_source(tmp_path: Path) -> None:
    files = {
        "data/raw/test.en": "One.\nTwo.\n",
        "data/raw/test.de": "Eins.\nZwei.\n",
        "runs/lookup--seed1/test/hypotheses.de": "Ein.\nZwo.\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    runs = tmp_path / "runs" / "lookup--seed1"
    options = ["--data", tmp_path / "data", "--count", 2]
    done = run("show-translations", *options, runs)
    assert done.stdout == (
        "source     One.\nreference  Eins.\nlookup     Ein.\n\n"
        "source     Two.\nreference  Zwei.\nlookup     Zwo.\n"
    )
    other = tmp_path / "runs" / "lookup--seed2"
    shutil.copytree(runs, other)
    both = run("show-translations", *options, runs, other).stdout
    assert both.count("Ein.\n") == 2
    missing = run("show-translations", *options, tmp_path / "runs" / "other")
    assert missing.returncode != 0
    assert "evaluate the run first" in missing.stderr
