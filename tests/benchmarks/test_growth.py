"""Growth with V: what is left out and why, the rows, and the plot."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.growth import expected_bytes, reason_to_skip
from benchmarks.growth_plot import plot_growth
from benchmarks.growth_rows import make_growth_rows
from benchmarks.job import Job, Model, Variant
from benchmarks.plan import Measurement
from benchmarks.settings import Settings

Measured = Callable[..., dict[Any, dict[str, Any]]]
LOOKUP, ALONE = Variant("lookup"), Variant("alone_real", 4096)
PUBLISHED = Variant("published", 4096)
MILLIONS = 4 * 2**20
GIB = 2**30


def job(kind: str, variant: Variant, vocabulary: int) -> Job:
    return Job(kind, variant, Model(), vocabulary, tokens=512)


def test_four_million_words_are_too_many_for_lookup_only() -> None:
    # Parameters, gradients, Adam's two moments and two steps between: 6 * 4M * 512
    # values. With 512K words, 6.2 GiB were measured.
    needed = expected_bytes(job("input_step", LOOKUP, MILLIONS))
    assert needed == 48 * GIB
    assert expected_bytes(job("input_step", ALONE, MILLIONS)) < GIB


def test_published_needs_the_most(measured: Measured) -> None:
    del measured
    for kind in ("table_training", "training_step"):
        published = job(kind, Variant("published", 4096), 2**17)
        ours = replace(published, variant=ALONE)
        assert expected_bytes(published) > expected_bytes(ours)


def test_too_large_is_skipped_with_the_numbers() -> None:
    measurement = Measurement("growth", "time", 0, job("input_step", LOOKUP, MILLIONS))
    reason = reason_to_skip(measurement, Settings(max_bytes=8 * GIB), {})
    assert reason == "needs about 48 GiB, more than --max-gigabytes 8"
    assert reason_to_skip(measurement, Settings(max_bytes=49 * GIB), {}) is None
    elsewhere = replace(measurement, part="table")
    assert reason_to_skip(elsewhere, Settings(max_bytes=1), {}) is None


def test_too_long_is_foreseen_from_a_smaller_vocabulary() -> None:
    small = Measurement("growth", "time", 0, job("table_training", ALONE, 1000))
    large = replace(small, job=replace(small.job, vocabulary=4000))
    settings = Settings(max_seconds=30.0)
    assert reason_to_skip(large, settings, {small: {"seconds": 7.0}}) is None
    reason = reason_to_skip(large, settings, {small: {"seconds": 8.0}})
    assert reason == "would take some 32 s, more than --max-seconds 30"
    other_round = replace(small, round=1)
    assert reason_to_skip(large, settings, {other_round: {"seconds": 8.0}}) is None


def test_what_was_skipped_with_fewer_words_is_skipped_with_more() -> None:
    small = Measurement("growth", "time", 0, job("training_step", ALONE, 1000))
    large = replace(small, job=replace(small.job, vocabulary=4000))
    reason = reason_to_skip(large, Settings(), {small: {"skipped": "killed"}})
    assert reason == "skipped with 1,000 words already: killed"


def rows_of(measured: Measured) -> list[dict[str, Any]]:
    done: dict[Any, Any] = {}
    for vocabulary in (1000, 4000):
        for variant in (LOOKUP, ALONE):
            size = {"vocabulary": vocabulary}
            sizes = measured("growth", "sizes", variant, "trained_values", [7], **size)
            for result in sizes.values():
                result |= {"stored_bytes": 28, "resident_bytes": 30}
            done |= sizes
            steps = ("growth", "input_step", variant)
            done |= measured(*steps, "seconds", [2.0, 3.0, 10.0], **size)
            done |= measured(*steps, "peak_bytes", [50], "memory", **size)
            why = ["too large"]
            if vocabulary == 4000:
                done |= measured(
                    "growth", "table_training", variant, "skipped", why, **size
                )
            else:
                table = ("growth", "table_training", variant)
                done |= measured(*table, "seconds", [1.0], **size)
    return make_growth_rows(done)


def test_rows_hold_medians_and_reasons(measured: Measured) -> None:
    rows = rows_of(measured)
    assert [(row["vocabulary"], row["variant"]) for row in rows] == [
        (1000, "lookup"),
        (1000, "alone real H=4096"),
        (4000, "lookup"),
        (4000, "alone real H=4096"),
    ]
    last = rows[-1]
    assert (last["trained_values"], last["stored_bytes"]) == (7, 28)
    assert (last["input_step"], last["input_step_peak"]) == (3.0, 50)
    assert (last["table"], last["training_step"]) == (None, None)
    assert last["skipped"] == {"table": "too large"}


def test_ratios_are_of_the_same_round_and_vocabulary(measured: Measured) -> None:
    done: dict[Any, Any] = {}
    seconds = {  # of published and ALONE, in the turns of three rounds
        1000: ([2.0, 3.0, 10.0], [1.0, 3.0, 20.0]),
        4000: ([8.0, 4.0, 5.0], [2.0, 1.0, 1.25]),
    }
    for vocabulary, values in seconds.items():
        size = {"vocabulary": vocabulary}
        for variant, turns in zip((PUBLISHED, ALONE), values, strict=True):
            sizes = measured("growth", "sizes", variant, "trained_values", [7], **size)
            for result in sizes.values():
                result |= {"stored_bytes": 28, "resident_bytes": 30}
            done |= sizes
            done |= measured(
                "growth", "training_step", variant, "seconds", turns, **size
            )
            # In another part, and never met.
            done |= measured("step", "training_step", variant, "seconds", [1], **size)
    small, large = (row for row in make_growth_rows(done) if "alone" in row["variant"])
    spread = {"median": 1.0, "low": 0.75, "high": 1.5, "count": 3}
    assert small["ratios"]["training_step"] == {"published": spread}
    spread = {"median": 0.25, "low": 0.25, "high": 0.25, "count": 3}
    assert large["ratios"]["training_step"] == {"published": spread}
    assert large["ratios"]["table"] == {}


def test_table_is_not_compared_with_look_ups(measured: Measured) -> None:
    rows = rows_of(measured)
    assert rows[1]["ratios"]["input_step"]["lookup"]["median"] == 1.0
    assert all(row["ratios"]["table"] == {} for row in rows)
    assert not any(rows[0]["ratios"].values())


@pytest.mark.slow
def test_plot_is_made_with_gaps(measured: Measured, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / "growth.png"
    plot_growth(rows_of(measured), file)
    assert file.read_bytes().startswith(b"\x89PNG")
    assert [path.name for path in tmp_path.iterdir()] == ["growth.png"]
