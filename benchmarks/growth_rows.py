"""The costs of each variant at each size of the vocabulary."""

from __future__ import annotations

from statistics import median
from typing import Any

from .figures import Results
from .job import Variant

SIZES = ("trained_values", "stored_bytes", "resident_bytes")


def make_growth_rows(done: Results) -> list[dict[str, Any]]:
    """Gather one row for each vocabulary and variant.

    Args:
        done: The measurements.

    Returns:
        Rows with the sizes, and medians of ``table``, ``input_step`` and
        ``training_step`` in seconds and of ``input_step_peak`` in bytes; ``None`` for
        what was not measured, with the reason in ``skipped``.
    """
    rows: dict[tuple[int, Variant], dict[str, Any]] = {}
    for measurement, result in done.items():
        job = measurement.job
        if measurement.part == "growth" and job.kind == "sizes" and job.variant:
            rows[job.vocabulary, job.variant] = {
                "vocabulary": job.vocabulary,
                "variant": job.variant.label,
                **{name: result[name] for name in SIZES},
                "skipped": {},
            }
    for (vocabulary, variant), row in rows.items():
        for name, kind, purpose, field in (
            ("table", "table_training", "time", "seconds"),
            ("input_step", "input_step", "time", "seconds"),
            ("input_step_peak", "input_step", "memory", "peak_bytes"),
            ("training_step", "training_step", "time", "seconds"),
        ):
            results = [
                result
                for measurement, result in done.items()
                if (measurement.part, measurement.purpose) == ("growth", purpose)
                and measurement.job.kind == kind
                and measurement.job.vocabulary == vocabulary
                and measurement.job.variant == variant
            ]
            values = [result[field] for result in results if field in result]
            row[name] = median(values) if values else None
            if results and not values:
                row["skipped"][name] = results[0]["skipped"]
    return list(rows.values())
