"""From measurements to the files: the journal, the JSON and the table."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alone_experiments.mistakes import Mistake
from benchmarks.fairseq_commands import median_tokens_per_second, read_translation_speed
from benchmarks.job import Job, Model, Variant
from benchmarks.job_process import is_want_of_memory
from benchmarks.journal import Journal, holds_results
from benchmarks.record import make_record, write_record
from benchmarks.settings import Settings
from benchmarks.table import make_markdown

Measured = Callable[..., dict[Any, dict[str, Any]]]
ORIGIN = {
    "command": ["bash", "scripts/benchmark.sh"],
    "commit": "0123456789abcdef",
    "dirty": False,
    "versions": {"torch": "2.0"},
    "hardware": {"cpu": "Abacus", "cores": 2, "gpu": None},
}


def measurements(measured: Measured) -> dict[Any, dict[str, Any]]:
    mine = Variant("alone_real", 4096)
    base = {"vocabulary": 32768, "model": Model()}
    common = ("step", "training_step")
    speed = "tokens_per_second"
    return {
        **measured("table", "matrix_rate", None, "flops_per_second", [2e9]),
        **measured(*common, Variant("lookup"), speed, [4000, 4000], **base),
        **measured(*common, Variant("published", 4096), speed, [1000, 1000], **base),
        **measured(*common, mine, speed, [2000, 3000], **base),
    }


def test_job_survives_json() -> None:
    job = Job("x", Variant("published", 3, 0.5), Model(1, 2, 3, 4), folder="f")
    assert Job.from_json(job.to_json()) == job
    assert Job.from_json(Job("matrix_rate").to_json()) == Job("matrix_rate")


def test_table_is_made_from_the_json(measured: Measured, tmp_path: Path) -> None:
    record = make_record(measurements(measured), Settings(), ORIGIN)
    write_record(record, tmp_path)
    stored = json.loads((tmp_path / "benchmark.json").read_text())
    text = (tmp_path / "benchmark.md").read_text()
    assert text == make_markdown(stored)
    rows = {
        cells[1]: cells
        for line in text.splitlines()
        if line.startswith("| training step")
        for cells in [[cell.strip() for cell in line.split("|")[1:-1]]]
    }
    assert rows["lookup"][2:4] == ["4,000 tokens/s", ""]
    assert rows["alone real H=4096"] == [
        "training step, speed",
        "alone real H=4096",
        "2,500 tokens/s",
        "0.625 (0.562 to 0.688)",
        "2.50 (2.25 to 2.75)",
        *("", ""),
        "≥ 1.5 of published: yes",
    ]
    assert "Abacus" in text
    assert "Matrix rate 2 GFLOP/s" in text
    assert len(stored["measurements"]) == 7
    assert {path.name for path in tmp_path.iterdir()} == {
        "benchmark.json",
        "benchmark.md",
    }


def test_missed_target_and_skipped_figure_are_told(measured: Measured) -> None:
    done = measurements(measured)
    slow = next(m for m in done if m.job.variant and m.job.variant.method == "alone")
    for measurement in done:
        if measurement.job == slow.job:
            done[measurement] = {"tokens_per_second": 1100}
    assert "≥ 1.5 of published: NO" in make_markdown(
        make_record(done, Settings(), ORIGIN)
    )
    for measurement in done:
        if measurement.job == slow.job:
            done[measurement] = {"skipped": "killed"}
    text = make_markdown(make_record(done, Settings(), ORIGIN))
    assert "skipped: killed" in text
    assert "≥ 1.5 of published: not measured" in text


def test_journal_carries_on(measured: Measured, tmp_path: Path) -> None:
    file = tmp_path / "measurements.jsonl"
    done = measurements(measured)
    journal = Journal(file, {"seed": 1})
    for measurement, result in done.items():
        journal.add(measurement, result)
    assert Journal(file, {"seed": 1}).done == done


def test_journal_drops_a_line_that_was_cut_off(
    measured: Measured, tmp_path: Path
) -> None:
    file = tmp_path / "measurements.jsonl"
    done = measurements(measured)
    journal = Journal(file, {})
    for measurement, result in done.items():
        journal.add(measurement, result)
    file.write_text(file.read_text()[:-20])
    again = Journal(file, {})
    assert len(again.done) == len(done) - 1
    again.add(*list(done.items())[-1])
    assert Journal(file, {}).done == done


def test_journal_of_another_run_is_refused(measured: Measured, tmp_path: Path) -> None:
    file = tmp_path / "measurements.jsonl"
    Journal(file, {"commit": "a"})
    Journal(file, {"commit": "b"})  # nothing was measured yet
    journal = Journal(file, {"commit": "a"})
    journal.add(*next(iter(measurements(measured).items())))
    with pytest.raises(Mistake, match="other settings or another commit"):
        Journal(file, {"commit": "b"})


def test_journal_tells_whether_anything_was_measured(
    measured: Measured, tmp_path: Path
) -> None:
    file = tmp_path / "measurements.jsonl"
    assert not holds_results(file)
    journal = Journal(file, {})
    assert not holds_results(file)
    journal.add(*next(iter(measurements(measured).items())))
    assert holds_results(file)
    file.write_text(file.read_text()[:-1])  # a kill cut the only line off
    assert not holds_results(file)


def test_first_updates_do_not_count() -> None:
    log = [
        "2026-01-01 10:00:00 | INFO | train_inner | "
        f'{{"num_updates": "{n}", "wps": "{w}"}}'
        for n, w in ((1, 5), (2, 5), (3, 30), (4, 10), (5, 20))
    ]
    assert median_tokens_per_second(log, skip=2) == 20.0


@pytest.mark.parametrize(
    ("numbers", "seconds"),
    [("in 0.1s (123.45 sentences/s", 8 / 123.45), ("in 75.0s (0.11 sentences/s", 75.0)],
)
def test_translation_speed_is_read_with_all_digits(
    numbers: str, seconds: float
) -> None:
    line = f"Translated 8 sentences (1,280 tokens) {numbers}, 9.99 tokens/s)"
    assert read_translation_speed(["x", line]) == (8, pytest.approx(seconds))
    with pytest.raises(ValueError, match="did not say"):
        read_translation_speed(["x"])


def test_want_of_memory_is_told_from_mistakes() -> None:
    assert is_want_of_memory(RuntimeError("CUDA out of memory. Tried to allocate"))
    assert is_want_of_memory(
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried")
    )
    assert not is_want_of_memory(RuntimeError("shapes differ"))
