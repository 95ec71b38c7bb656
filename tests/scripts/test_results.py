"""Tables, plots and translations made from result files."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.scripts.script_modules import SCRIPTS, import_script

make_table = import_script("make_table")
show_translations = import_script("show_translations")


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


def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPTS / script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def write(folder: Path, records: list[dict[str, Any]]) -> Path:
    for number, entry in enumerate(records):
        (folder / f"{number}.json").write_text(json.dumps(entry))
    return folder


def test_table(tmp_path: Path) -> None:
    done = run("make_table.py", write(tmp_path, RECORDS))
    lines = done.stdout.splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[:5]]
    seeds = "35.62 ± 0.71 (2 seeds)"
    assert cells[0][0] == "row"
    assert cells[2:] == [
        [
            "lookup",
            "lookup",
            "1,254,400",
            "5,017,700",
            "100.0%",
            "36.50",
            "1,000",
            "8,000",
        ],
        [
            "alone_real",
            "alone",
            "627,200",
            "2,508,900",
            "50.0%",
            seeds,
            "1,500",
            "8,000",
        ],
        ["random", "random", "0", "100", "0.0%", "30.00", "1,000", "8,000"],
    ]
    assert lines[5] == ""
    assert lines[6].strip() == "SacreBLEU: sig"
    assert lines[7].strip() == "Hardware: Abacus, 2 cores. Commit: 0123456789ab."
    assert len(lines) == 8


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
    assert remark in make_table.make_table([*RECORDS, record("x", 1, 1.0, **change)])


def test_table_without_results(tmp_path: Path) -> None:
    done = run("make_table.py", tmp_path)
    assert done.returncode != 0
    assert done.stderr.startswith(f"error: {tmp_path} has no results")


def test_damaged_result_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"row":')
    done = run("make_table.py", tmp_path)
    assert done.returncode != 0
    assert len(done.stderr.splitlines()) == 1
    assert f"{tmp_path}/a.json is damaged" in done.stderr


def test_plot_is_a_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="plots are an extra")
    picture = tmp_path / "loss.png"
    done = run("plot_loss.py", write(tmp_path, RECORDS), picture)
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
    done = run("show_translations.py", *options, runs)
    assert done.stdout == (
        "source     One.\nreference  Eins.\nlookup     Ein.\n\n"
        "source     Two.\nreference  Zwei.\nlookup     Zwo.\n"
    )
    missing = run("show_translations.py", *options, tmp_path / "runs" / "other")
    assert missing.returncode != 0
    assert "evaluate the run first" in missing.stderr
