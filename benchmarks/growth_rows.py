"""The costs of each variant at each size of the vocabulary."""

from __future__ import annotations

from dataclasses import asdict, replace
from statistics import median
from typing import Any

from .figures import Results, reason_skipped, references, values_by_round
from .job import Job
from .ratios import ratio

SIZES = ("trained_values", "stored_bytes", "resident_bytes")

COSTS = {
    "table": ("table_training", "time", "seconds"),
    "input_step": ("input_step", "time", "seconds"),
    "input_step_peak": ("input_step", "memory", "peak_bytes"),
    "training_step": ("training_step", "time", "seconds"),
}
"""Kind of job, purpose and field of the result of each cost."""


def make_growth_rows(done: Results) -> list[dict[str, Any]]:
    """Gather one row for each vocabulary and variant.

    Args:
        done: The measurements.

    Returns:
        Rows with the sizes, and medians of ``table``, ``input_step`` and
        ``training_step`` in seconds and of ``input_step_peak`` in bytes, ``None`` for
        what was not measured, with the reason in ``skipped``; and in ``ratios`` their
        ratios to ``lookup`` (but for ``table``) and ``published``, round by round.
    """
    return [
        _row(measurement.job, result, done)
        for measurement, result in done.items()
        if measurement.part == "growth" and measurement.job.kind == "sizes"
    ]


def _row(sized: Job, sizes: dict[str, Any], done: Results) -> dict[str, Any]:
    assert sized.variant is not None
    row: dict[str, Any] = {
        "vocabulary": sized.vocabulary,
        "variant": sized.variant.label,
        **{name: sizes[name] for name in SIZES},
        "skipped": {},
        "ratios": {},
    }
    for name, (kind, purpose, field) in COSTS.items():
        job = replace(sized, kind=kind)
        values = values_by_round(done, "growth", purpose, job, field)
        row[name] = median(values.values()) if values else None
        if not values and (reason := reason_skipped(done, "growth", purpose, job)):
            row["skipped"][name] = reason
        row["ratios"][name] = {}
        for of, other in references(job, purpose).items():
            same = replace(job, variant=other)
            theirs = values_by_round(done, "growth", purpose, same, field)
            found = ratio(values, theirs) if same != job else None
            if found:
                row["ratios"][name][of] = asdict(found)
    return row
