"""Whole training steps with the full and with a sampled softmax, by vocabulary."""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import Any

from .figures import Results, reason_skipped, values_by_round
from .job import Job
from .ratios import ratio, spread

REFERENCE = 32768
"""The vocabulary that others are compared with: that of the paper."""

CODES = 8
"""Bytes of ALONE's codes a word, which the goal for memory leaves out."""

TIME_GOAL, MEMORY_GOAL = 1.2, 1.3
"""What ALONE with a sampled softmax may take with 4,000,000 words, as multiples."""


def make_sampling_rows(done: Results) -> list[dict[str, Any]]:
    """Gather one row for each model, vocabulary and variant.

    Args:
        done: The measurements.

    Returns:
        Rows with medians of ``seconds`` and ``peak_bytes``, ``None`` for what was not
        measured, with the reason in ``skipped``; and as ``time_ratio`` and
        ``memory_ratio`` what they are to the same variant's with ``REFERENCE`` words,
        time round by round, memory without the codes.
    """
    jobs = dict.fromkeys(m.job for m in done if m.part == "sampling")
    return [_row(job, done) for job in jobs]


def _row(job: Job, done: Results) -> dict[str, Any]:
    assert job.variant is not None
    seconds = _values(job, done, "seconds")
    peak = _values(job, done, "peak_bytes")
    folder = job.folder.replace(f"growth{job.vocabulary}", f"growth{REFERENCE}")
    reference = replace(job, vocabulary=REFERENCE, folder=folder)
    times = ratio(seconds, _values(reference, done, "seconds"))
    skipped = reason_skipped(done, "sampling", "time", job)
    memory = None
    theirs = _values(reference, done, "peak_bytes")
    if peak and theirs:
        pairs = ((peak, job), (theirs, reference))
        mine, other = (median(v.values()) - _codes(j) for v, j in pairs)
        memory = mine / other
    return {
        "model": "language model" if job.language_model else "translation",
        "vocabulary": job.vocabulary,
        "variant": job.variant.label,
        "seconds": spread([*seconds.values()]).median if seconds else None,
        "peak_bytes": median(peak.values()) if peak else None,
        "time_ratio": times.median if times else None,
        "memory_ratio": memory,
        "skipped": skipped if not seconds else "",
    }


def _values(job: Job, done: Results, field: str) -> dict[int, float]:
    purpose = "time" if field == "seconds" else "memory"
    return values_by_round(done, "sampling", purpose, job, field)


def _codes(job: Job) -> int:
    alone = job.variant is not None and job.variant.method == "alone"
    return CODES * job.vocabulary if alone else 0
