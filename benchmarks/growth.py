"""Which measurements of growth with V are left out, and why."""

from __future__ import annotations

from typing import Any

from .job import JOINT_DIM, Job
from .plan import Measurement
from .settings import Settings

GIB = 2**30


def expected_bytes(job: Job) -> int:
    """Estimate the memory that a job takes, in float32.

    Args:
        job: A job of growth.

    Returns:
        Bytes: parameters with gradients, Adam's two moments and what it computes from
        them, filters, and what has a size of ``V`` or of tokens x ``V`` while it runs;
        not what is constant.
    """
    assert job.variant is not None
    criterion = job.variant.name.rpartition("_")[2]
    vocabulary, dim = job.vocabulary, job.model.dim
    lookup = job.variant.method == "lookup"
    values = 0
    if lookup:
        values += (2 if job.kind == "table_training" else 6) * vocabulary * dim
    elif job.variant.method == "published":
        values += vocabulary * dim
    else:
        values += 4 * vocabulary  # 8 codes of one byte, twice while they are drawn
    if job.variant.output_layer == "dense":
        values += 6 * vocabulary * dim
    if job.variant.output_layer == "joint" and criterion != "sampled":
        # The mapped table and its gradient, before and after the tanh.
        values += 4 * vocabulary * JOINT_DIM
    if job.kind != "input_step" and not lookup and criterion != "sampled":
        # The table and its gradient, in parts and joined.
        values += 4 * vocabulary * dim
        if job.variant.method == "published":
            # Gathered filters and their product with o; both sides of the ReLU.
            values += 2 * vocabulary * dim + 3 * vocabulary * job.variant.inter_dim
    if job.kind == "training_step" and criterion not in ("chunked", "sampled"):
        # Logits, their softmax, the label-smoothed loss, and gradients of these.
        values += 5 * job.tokens * vocabulary
    return 4 * values


def reason_to_skip(
    measurement: Measurement,
    settings: Settings,
    done: dict[Measurement, dict[str, Any]],
) -> str | None:
    """Say why a measurement of growth should not be tried.

    Args:
        measurement: The measurement.
        settings: Holds the limits of memory and time.
        done: What was measured before, smaller vocabularies among it.

    Returns:
        The reason, or ``None`` if it should be tried.
    """
    job = measurement.job
    if measurement.part not in ("growth", "sampling") or job.kind == "sizes":
        return None
    needed = expected_bytes(job)
    if needed > settings.max_bytes:
        return (
            f"needs about {needed / GIB:.0f} GiB, more than --max-gigabytes"
            f" {settings.max_bytes / GIB:.0f}"
        )
    smaller = [
        (before.job.vocabulary, result)
        for before, result in done.items()
        if (before.part, before.purpose, before.round)
        == (measurement.part, measurement.purpose, measurement.round)
        and (before.job.kind, before.job.variant) == (job.kind, job.variant)
        and before.job.language_model == job.language_model
        and before.job.vocabulary < job.vocabulary
    ]
    if not smaller:
        return None
    vocabulary, result = max(smaller, key=lambda pair: pair[0])
    if "skipped" in result:
        return f"skipped with {vocabulary:,} words already: {result['skipped']}"
    seconds = result["seconds"] * job.vocabulary / vocabulary
    assert job.variant is not None
    grows = job.kind != "input_step" and job.variant.name != "alone_real_sampled"
    if grows and seconds > settings.max_seconds:
        return (
            f"would take some {seconds:.0f} s, more than --max-seconds"
            f" {settings.max_seconds:g}"
        )
    return None
