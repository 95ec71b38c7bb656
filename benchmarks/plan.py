"""The list of measurements, in the order in which they are made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .job import Job, Variant
from .settings import CODES, LAYERS, Settings, variants_of


@dataclass(frozen=True)
class Measurement:
    """A job as a part of the benchmark.

    Attributes:
        part: Part of the benchmark, of ``settings.PARTS``.
        purpose: ``time`` or ``memory``: what of the result counts; ``preparation`` if
            nothing does.
        round: Number of the round. In a round every variant has one turn.
        job: The job.
    """

    part: str
    purpose: str
    round: int
    job: Job

    @property
    def label(self) -> str:
        """Its name for the person who waits."""
        variant = f" {self.job.variant.label}" if self.job.variant else ""
        grows = self.part in ("growth", "sampling")
        vocabulary = f" V={self.job.vocabulary}" if grows else ""
        kind = self.job.kind.replace("_", " ")
        kind += " of a language model" if self.job.language_model else ""
        return (
            f"{self.part}: {kind}{variant}{vocabulary}, {self.purpose} {self.round + 1}"
        )


def plan(settings: Settings, work: Path) -> list[Measurement]:
    """List all measurements.

    Args:
        settings: What to measure.
        work: Folder for corpora and checkpoints.

    Returns:
        The measurements; variants take turns within each round.
    """
    parts = {
        "table": _table,
        "step": _step,
        "train": _train,
        "decode": _decode,
        "generate": _generate,
        "growth": _growth,
        "sampling": _sampling,
        "codes": _codes,
    }
    return [
        measurement
        for name, part in parts.items()
        if name in settings.parts
        for measurement in part(settings, _common(settings, work))
    ]


def _common(settings: Settings, work: Path) -> Job:
    return Job(
        kind="",
        model=settings.model,
        vocabulary=settings.vocabulary,
        tokens=settings.tokens,
        length=settings.length,
        steps=settings.steps,
        warm_up=settings.warm_up,
        matrix_size=settings.matrix_size,
        seed=settings.seed,
        threads=settings.threads,
        precision=settings.precision,
        device=settings.device,
        folder=str(work),
    )


def _rounds(
    part: str, settings: Settings, times: int, jobs: list[Job], memory_jobs: list[Job]
) -> Iterator[Measurement]:
    for number in range(times):
        for job in jobs:
            yield Measurement(part, "time", number, job)
    for number in range(settings.memory_rounds):
        for job in memory_jobs:
            yield Measurement(part, "memory", number, job)


def _table(settings: Settings, job: Job) -> Iterator[Measurement]:
    variants = variants_of(settings, (0.0,))
    jobs = [
        replace(job, kind=kind, variant=variant)
        for kind in ("table_forward", "table_training")
        for variant in variants
    ]
    rate = replace(job, kind="matrix_rate", vocabulary=0)
    # The compiler's own memory would count: it works in the same process.
    plain = [each for each in jobs if each.variant and not each.variant.compiled]
    yield from _rounds("table", settings, settings.rounds, [rate, *jobs], plain)


def _step(settings: Settings, job: Job) -> Iterator[Measurement]:
    jobs = [
        replace(job, kind="training_step", variant=variant)
        for variant in variants_of(settings, settings.relu_dropouts)
    ]
    yield from _rounds("step", settings, settings.rounds, jobs, jobs)


def _train(settings: Settings, job: Job) -> Iterator[Measurement]:
    jobs = [
        replace(
            job,
            kind="whole_training",
            variant=variant,
            update_freq=settings.update_freq,
            steps=settings.updates,
            warm_up=settings.skipped_updates,
        )
        for variant in variants_of(settings, settings.relu_dropouts[:1])
    ]
    # From the second update on the optimiser's memory is there while gradients are,
    # and from the second micro-batch on what is kept of the first.
    brief = min(2, settings.update_freq)
    short = [replace(each, steps=1, warm_up=1, update_freq=brief) for each in jobs]
    yield from _rounds("train", settings, settings.run_rounds, jobs, short)


def _decode(settings: Settings, job: Job) -> Iterator[Measurement]:
    for number in range(settings.run_rounds):
        for batch in settings.batch_sizes:
            for variant in variants_of(settings, settings.relu_dropouts[:1]):
                published = variant.method == "published"
                if published and number > 0:
                    continue  # many times slower: once is enough
                later = 0 if published else batch * settings.decoded_batches
                mine = replace(job, kind="decoding", variant=variant, batch=batch)
                yield Measurement(
                    "decode", "time", number, replace(mine, sentences=later)
                )


def _generate(settings: Settings, job: Job) -> Iterator[Measurement]:
    variants = variants_of(settings, settings.relu_dropouts[:1])
    if "train" not in settings.parts:
        for variant in variants:
            brief = replace(job, kind="whole_training", variant=variant, steps=1)
            yield Measurement("generate", "preparation", 0, replace(brief, warm_up=0))
    jobs = [
        replace(
            job,
            kind="whole_generation",
            variant=variant,
            batch=batch,
            sentences=sentences_for(variant, batch, settings),
        )
        for batch in settings.batch_sizes
        for variant in variants
    ]
    yield from _rounds("generate", settings, settings.run_rounds, jobs, [])


def sentences_for(variant: Variant, batch: int, settings: Settings) -> int:
    """Say how many sentences a variant is to translate.

    Args:
        variant: The variant.
        batch: Sentences translated together.
        settings: The settings.

    Returns:
        A number of sentences; as few as one batch for the published formulation, whose
        every decoding step may take seconds.
    """
    if variant.method != "published":
        return settings.sentences
    return settings.published_sentences or batch


def reason_not_trained(
    measurement: Measurement, done: dict[Measurement, dict[str, Any]]
) -> str | None:
    """Say why there is no model to translate with.

    Args:
        measurement: The measurement.
        done: What was measured before.

    Returns:
        The reason if the measurement is of translation with a model whose training was
        skipped, else ``None``.
    """
    if measurement.job.kind != "whole_generation":
        return None
    reasons = (
        f"its training was skipped: {result['skipped']}"
        for before, result in done.items()
        if before.job.kind == "whole_training"
        and before.job.variant == measurement.job.variant
        and "skipped" in result
    )
    return next(reasons, None)


def _growth(settings: Settings, job: Job) -> Iterator[Measurement]:
    smallest = replace(settings, inter_dims=settings.inter_dims[:1])
    jobs = {
        kind: [
            replace(
                job,
                kind=kind,
                variant=variant,
                vocabulary=vocabulary,
                tokens=settings.growth_tokens,
                folder=str(Path(job.folder) / f"growth{vocabulary}"),
            )
            for vocabulary in settings.growth
            for variant in variants_of(smallest, (0.0,))
        ]
        for kind in ("sizes", "table_training", "input_step", "training_step")
    }
    yield from _rounds("growth", settings, 1, jobs.pop("sizes"), [])
    timed = [each for kind in jobs.values() for each in kind]
    yield from _rounds(
        "growth", settings, settings.run_rounds, timed, jobs["input_step"]
    )


def _sampling(settings: Settings, job: Job) -> Iterator[Measurement]:
    sizes = dict.fromkeys(("lookup", *LAYERS), 0)
    sizes["alone_real"] = settings.inter_dims[0]
    jobs = [
        replace(
            job,
            kind="training_step",
            variant=Variant(f"{name}_{'sampled' if words else 'chunked'}", inter_dim),
            vocabulary=vocabulary,
            tokens=settings.growth_tokens,
            folder=str(Path(job.folder) / f"growth{vocabulary}"),
            language_model=language_model,
            sampled_words=words,
        )
        for language_model in (True, False)
        for vocabulary in settings.sampling
        for name, inter_dim in sizes.items()
        for words in (0, *settings.sampled_words)
        if name in settings.variants
    ]
    yield from _rounds("sampling", settings, settings.run_rounds, jobs, jobs)


def _codes(settings: Settings, job: Job) -> Iterator[Measurement]:
    if settings.device != "cpu":
        return  # where sums are never taken
    training = replace(job, kind="scores_training", tokens=settings.growth_tokens)
    works = [
        *(replace(job, kind="scores", batch=batch) for batch in settings.batch_sizes),
        training,
    ]
    jobs = [replace(work, variant=Variant(name)) for work in works for name in CODES]
    yield from _rounds("codes", settings, settings.rounds, jobs, [])
