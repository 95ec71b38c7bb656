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
        Rows with the number of words in the softmax, ``words``, and medians of
        ``seconds``, ``tokens_per_second`` (target tokens) and ``peak_bytes``, ``None``
        for what was not measured, with the reason in ``skipped``. As ``time_ratio`` and
        ``memory_ratio`` what they are to the same variant's with a vocabulary of
        ``REFERENCE``; as ``time_of_all`` and ``memory_of_all`` what they are to the
        same with all words in the softmax, ``None`` in rows of all words. Times are
        compared round by round, memory without the codes.
    """
    jobs = dict.fromkeys(m.job for m in done if m.part == "sampling")
    return [_row(job, done) for job in jobs]


def _row(job: Job, done: Results) -> dict[str, Any]:
    assert job.variant is not None
    seconds = _values(job, done, "seconds")
    rates = _values(job, done, "tokens_per_second")
    peak = _values(job, done, "peak_bytes")
    folder = job.folder.replace(f"growth{job.vocabulary}", f"growth{REFERENCE}")
    paper = replace(job, vocabulary=REFERENCE, folder=folder)
    whole = replace(job.variant, name=job.variant.name.replace("_sampled", "_chunked"))
    full = replace(job, variant=whole, sampled_words=0)
    of_paper, of_full = _ratios(job, paper, done), _ratios(job, full, done)
    if not job.sampled_words:
        of_full = None, None
    skipped = reason_skipped(done, "sampling", "time", job)
    return {
        "model": "language model" if job.language_model else "translation",
        "vocabulary": job.vocabulary,
        "variant": job.variant.label,
        "words": job.sampled_words or job.vocabulary,
        "seconds": spread([*seconds.values()]).median if seconds else None,
        "tokens_per_second": median(rates.values()) if rates else None,
        "peak_bytes": median(peak.values()) if peak else None,
        "time_ratio": of_paper[0],
        "memory_ratio": of_paper[1],
        "time_of_all": of_full[0],
        "memory_of_all": of_full[1],
        "skipped": skipped if not seconds else "",
    }


def _ratios(job: Job, other: Job, done: Results) -> tuple[float | None, float | None]:
    """Compare time and memory without the codes, where both were measured."""
    times = ratio(*(_values(each, done, "seconds") for each in (job, other)))
    peaks = [
        median(found.values()) - _codes(each)
        for each in (job, other)
        if (found := _values(each, done, "peak_bytes"))
    ]
    memory = peaks[0] / peaks[1] if len(peaks) == 2 else None
    return times.median if times else None, memory


def _values(job: Job, done: Results, field: str) -> dict[int, float]:
    purpose = "memory" if field == "peak_bytes" else "time"
    return values_by_round(done, "sampling", purpose, job, field)


def _codes(job: Job) -> int:
    alone = job.variant is not None and job.variant.method == "alone"
    return CODES * job.vocabulary if alone else 0
