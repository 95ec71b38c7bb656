"""Figures made from the measurements: medians and ratios, one for a row of a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from .flops import table_forward_flops, table_training_flops
from .job import Job, Variant
from .plan import Measurement
from .ratios import Spread, ratio, spread
from .settings import Settings
from .targets import Target, targets

Results = dict[Measurement, dict[str, Any]]

FIELDS = {
    "table_forward": "seconds",
    "table_training": "seconds",
    "training_step": "tokens_per_second",
    "whole_training": "tokens_per_second",
    "decoding": "sentences_per_second",
    "whole_generation": "sentences_per_second",
    "scores": "seconds",
    "scores_training": "seconds",
}
"""What of a result is the figure where its time counts; else it is its peak."""


@dataclass(frozen=True)
class Figure:
    """One figure of one variant.

    Attributes:
        part: Part of the benchmark.
        quantity: What was measured, as a table says it.
        variant: Name of the variant.
        field: ``seconds``, ``peak_bytes``, ``tokens_per_second`` or
            ``sentences_per_second``.
        value: The figure.
        ratios: Its ratios to ``lookup``, ``published``, ``plain`` (the variant without
            ``_compiled``, ``_chunked``, ``_levers``, ``_recipe`` or ``_sums``) and the
            ``matrix_rate`` of the machine, those that there are.
        targets: What is asked of it, and whether that is so; ``None`` if a ratio is
            missing.
        skipped: Why there is no value, or an empty text.
    """

    part: str
    quantity: str
    variant: str
    field: str
    value: Spread | None
    ratios: dict[str, Spread]
    targets: list[tuple[Target, bool | None]]
    skipped: str = ""


def make_figures(done: Results, settings: Settings) -> list[Figure]:
    """Make the figures of all parts but ``growth`` and ``sampling``.

    Args:
        done: The measurements.
        settings: Sizes of the run.

    Returns:
        Figures in the order of the measurements.
    """
    series: dict[tuple[str, str, Job], None] = {}
    for measurement in done:
        kind, purpose = measurement.job.kind, measurement.purpose
        apart = measurement.part in ("growth", "sampling") or purpose == "preparation"
        if not apart and kind in FIELDS:
            series[measurement.part, purpose, measurement.job] = None
    return [_figure(*key, list(series), done, settings) for key in series]


def _figure(
    part: str,
    purpose: str,
    job: Job,
    series: Iterable[tuple[str, str, Job]],
    done: Results,
    settings: Settings,
) -> Figure:
    assert job.variant is not None
    field = FIELDS[job.kind] if purpose == "time" else "peak_bytes"
    values = values_by_round(done, part, purpose, job, field)
    ratios: dict[str, Spread] = {}
    for name, other in references(job, purpose).items():
        for _, _, reference in filter(lambda key: key[:2] == (part, purpose), series):
            if job.variant != other == reference.variant and _same_work(reference, job):
                theirs = values_by_round(done, part, purpose, reference, field)
                if found := ratio(values, theirs):
                    ratios[name] = found
    if paired := values_by_round(done, part, purpose, job, "of_lookup"):
        ratios["lookup"] = spread(list(paired.values()))
    if (part, purpose) == ("table", "time") and job.variant.inter_dim:
        ratios |= _share_of_matrix_rate(job, values, done)
    asked = [
        (each, each.reached(ratios[each.of].median) if each.of in ratios else None)
        for each in targets(job, purpose, settings)
    ]
    return Figure(
        part,
        _name(job, field),
        job.variant.label,
        field,
        spread(list(values.values())) if values else None,
        ratios,
        asked,
        "" if values else reason_skipped(done, part, purpose, job),
    )


def values_by_round(
    done: Results, part: str, purpose: str, job: Job, field: str
) -> dict[int, float]:
    """Collect one number of one job from all rounds.

    Args:
        done: The measurements.
        part: Part of the benchmark.
        purpose: ``time`` or ``memory``.
        job: The job.
        field: Name of the number in the results.

    Returns:
        The number by round; rounds that were skipped are left out.
    """
    return {
        measurement.round: float(result[field])
        for measurement, result in done.items()
        if (measurement.part, measurement.purpose) == (part, purpose)
        and measurement.job == job
        and field in result
    }


def reason_skipped(done: Results, part: str, purpose: str, job: Job) -> str:
    """Say why a job was not measured.

    Args:
        done: The measurements.
        part: Part of the benchmark.
        purpose: ``time`` or ``memory``.
        job: The job.

    Returns:
        The reason of the first round that was skipped, or an empty text.
    """
    reasons = (
        str(result["skipped"])
        for measurement, result in done.items()
        if (measurement.part, measurement.purpose) == (part, purpose)
        and measurement.job == job
        and "skipped" in result
    )
    return next(reasons, "")


def references(job: Job, purpose: str) -> dict[str, Variant]:
    """Name what a variant is compared with.

    Args:
        job: A job with the variant.
        purpose: ``time`` or ``memory``.

    Returns:
        ``lookup``, but for the time of a table, since its own is there already;
        ``plain`` (the variant without such an ending) and, for ALONE,
        ``published`` of its inner size. One of them may be the variant.
    """
    variant = job.variant
    assert variant is not None
    found = {"lookup": Variant("lookup"), "plain": variant.plain}
    if purpose == "time" and job.kind in ("table_forward", "table_training"):
        del found["lookup"]
    if variant.method == "alone":
        found["published"] = replace(variant, name="published")
    return found


def _same_work(one: Job, other: Job) -> bool:
    # The published formulation may translate fewer sentences; speeds are compared.
    return replace(one, variant=None, sentences=0) == replace(
        other, variant=None, sentences=0
    )


def _share_of_matrix_rate(
    job: Job, seconds: dict[int, float], done: Results
) -> dict[str, Spread]:
    assert job.variant is not None
    count = table_forward_flops if job.kind == "table_forward" else table_training_flops
    flops = count(job.vocabulary, job.model.dim, job.variant.inter_dim)
    rates = {
        measurement.round: float(result["flops_per_second"])
        for measurement, result in done.items()
        if measurement.job.kind == "matrix_rate" and "flops_per_second" in result
    }
    mine = {number: flops / value for number, value in seconds.items()}
    share = ratio(mine, rates)
    return {"matrix_rate": share} if share else {}


def _name(job: Job, field: str) -> str:
    kind = {
        "table_forward": "table, forward",
        "table_training": "table, forward and backward",
        "training_step": "training step",
        "whole_training": "fairseq-train",
        "decoding": f"decoding with the table built, batch {job.batch}",
        "whole_generation": f"fairseq-generate, batch {job.batch}",
        "scores": f"scores of all words with the table built, batch {job.batch}",
        "scores_training": "scores of all words, forward and backward",
    }[job.kind]
    aspect = {"peak_bytes": "peak memory", "seconds": "time"}.get(field, "speed")
    return f"{kind}, {aspect}"
