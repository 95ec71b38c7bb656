"""Steps with a full and a sampled softmax: the plan, what is skipped, the rows."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alone_experiments.mistakes import Mistake
from alone_experiments.results.speed_tables import sampling, write_sampling
from benchmarks.growth import expected_bytes
from benchmarks.job import Job, Variant
from benchmarks.plan import plan
from benchmarks.sampling_rows import REFERENCE, make_sampling_rows
from benchmarks.settings import Settings, check
from benchmarks.table import make_markdown
from benchmarks.training_step import training_flags

Measured = Callable[..., dict[Any, dict[str, Any]]]
SAMPLED = Variant("alone_real_sampled", 4096)
GIB = 2**30


def jobs(**settings: Any) -> list[Job]:
    chosen = Settings(parts=("sampling",), run_rounds=1, memory_rounds=0, **settings)
    return [measurement.job for measurement in plan(chosen, Path("work"))]


def test_both_models_with_both_softmaxes() -> None:
    found = jobs(sampling=(10_000, 4_000_000))
    assert len({*found}) == 16
    assert {job.language_model for job in found} == {True, False}
    flags = [" ".join(training_flags(job)) for job in found]
    for criterion in ("chunked", "sampled"):
        name = f"--criterion {criterion}_label_smoothed_cross_entropy"
        assert sum(name in words for words in flags) == 8
    assert sum("--sampled-words 8192 --sampled-log-q" in words for words in flags) == 8
    assert sum("--task language_modeling" in words for words in flags) == 8
    several = jobs(sampling=(10_000,), sampled_words=(500, 2500))
    assert [job.sampled_words for job in several[:3]] == [0, 500, 2500]
    assert len({*several}) == 12
    assert all(
        "alone" in j.variant.name for j in jobs(variants=("alone_real",)) if j.variant
    )


def test_other_output_layers() -> None:
    found = jobs(sampling=(10_000,), variants=("lookup_dense", "lookup_joint"))
    assert len({*found}) == 8
    flags = [" ".join(training_flags(job)) for job in found]
    for layer in ("dense", "joint --joint-dim 512"):
        assert sum(f"--output-layer {layer} " in words for words in flags) == 4
    with pytest.raises(Mistake, match="add --parts sampling"):
        check(Settings(parts=("step",), variants=("lookup_joint",)))


def test_millions_of_words_are_too_many_for_look_up_only() -> None:
    def needed(name: str, inter_dim: int = 0) -> int:
        variant = Variant(name, inter_dim)
        return expected_bytes(Job("training_step", variant, vocabulary=4_000_000))

    assert needed("alone_real_sampled", 4096) < GIB
    # Adam's moments alone are 15 GiB.
    assert needed("lookup_sampled") > 40 * GIB
    assert needed("alone_real_chunked", 4096) > 30 * GIB
    # A second matrix with its moments; the mapped words, where they are all needed.
    assert needed("lookup_dense_sampled") == 2 * needed("lookup_sampled")
    assert needed("lookup_joint_sampled") == needed("lookup_sampled")
    assert needed("lookup_joint_chunked") > needed("lookup_chunked") + 30 * GIB


def rows(measured: Measured) -> list[dict[str, Any]]:
    done: dict[Any, Any] = {}
    takes = {
        REFERENCE: ([2.0, 4.0], 1000 + 8 * REFERENCE),
        10**6: ([3.0, 4.0], 8_002_000),
    }
    for vocabulary, (seconds, peak) in takes.items():
        job = {"vocabulary": vocabulary, "folder": f"work/growth{vocabulary}"}
        where = ("sampling", "training_step", SAMPLED)
        done |= measured(*where, "seconds", seconds, **job)
        done |= measured(*where, "peak_bytes", [peak], "memory", **job)
        other = ("sampling", "training_step", Variant("lookup_sampled"))
        done |= measured(*other, "skipped", ["too large"], **job)
    return make_sampling_rows(done)


def test_rows_have_ratios_to_the_vocabulary_of_the_paper(measured: Measured) -> None:
    found = {(row["variant"], row["vocabulary"]): row for row in rows(measured)}
    large = found[SAMPLED.label, 10**6]
    assert (large["seconds"], large["time_ratio"]) == (3.5, 1.25)
    assert large["memory_ratio"] == 2.0  # without the codes
    assert found[SAMPLED.label, REFERENCE]["memory_ratio"] == 1.0
    skipped = found["lookup sampled", 10**6]
    assert (skipped["seconds"], skipped["skipped"]) == (None, "too large")


def test_rows_of_a_sample_have_ratios_to_all_words(measured: Measured) -> None:
    done: dict[Any, Any] = {}
    takes = {0: ([2.0, 5.0], 1000), 500: ([1.0, 5.0], 900), 50: ([1.0, 2.0], 700)}
    for words, (seconds, peak) in takes.items():
        variant = Variant("lookup_sampled" if words else "lookup_chunked")
        job = {"vocabulary": 5000, "sampled_words": words}
        where = ("sampling", "training_step", variant)
        done |= measured(*where, "seconds", seconds, **job)
        done |= measured(*where, "peak_bytes", [peak], "memory", **job)
    found = make_sampling_rows(done)
    assert [
        (row["words"], row["time_of_all"], row["memory_of_all"]) for row in found
    ] == [(5000, None, None), (500, 0.75, 0.9), (50, 0.45, 0.7)]
    head, _, first, second, _ = write_sampling(found).splitlines()
    assert "V = 32,768" not in head  # nothing was measured with that
    assert [cell.strip() for cell in first.split("|")][-4:-1] == ["—", "0.000954", "—"]
    assert [cell.strip() for cell in second.split("|")][4:7] == ["500", "3.00", "0.750"]


def test_the_table(measured: Measured, tmp_path: Path) -> None:
    record = {
        "settings": Settings().to_dict(),
        "hardware": {"cpu": "a CPU"},
        **{"matrix_rate": None, "dirty": False, "commit": "0" * 40},
        **{"versions": {"torch": "2"}, "figures": [], "growth": []},
        "sampling": rows(measured),
    }
    made = make_markdown(record)
    lines = [" ".join(line.split()) for line in made.splitlines()]
    label = SAMPLED.label
    words = "1,000,000 | 3.50 | 1.25 | 7.63 | 2.00"
    assert f"| translation | 1,000,000 | {label} | {words} |" in lines
    words = "1,000,000 | — | — | — | —"
    assert f"| translation | 1,000,000 | lookup sampled | {words} |" in lines
    (tmp_path / "benchmark.json").write_text(json.dumps(record))
    assert sampling(tmp_path.parent, tmp_path.name) in made  # what the pages have
    (tmp_path / "benchmark.json").write_text("{}")
    with pytest.raises(Mistake, match="has no measurements of sampling"):
        sampling(tmp_path.parent, tmp_path.name)
