"""Run the benchmark; ``bash scripts/benchmark.sh --help`` says how."""

from __future__ import annotations

import logging
import shutil
import signal
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

from alone_experiments.mistakes import Mistake
from alone_experiments.provenance import (
    describe_code,
    describe_hardware,
    describe_versions,
)

from .command_line import parse
from .corpus import write_corpus
from .growth import reason_to_skip
from .job_runner import ROOT, JobRunner
from .journal import Journal, holds_results
from .plan import Measurement, plan, reason_not_trained
from .record import make_record, write_record
from .settings import Settings


def main() -> None:
    """Measure what is not measured yet, and write the results after each part."""
    signal.signal(signal.SIGTERM, _end)
    logging.getLogger().setLevel(logging.WARNING)  # fairseq's import opens it wide
    args, settings = parse()
    origin = describe_origin()
    output: Path = args.output
    work = output / "benchmark.work"
    file = work / "measurements.jsonl"
    # With nothing measured the next run may be another, for which the corpus is wrong.
    if args.force or not holds_results(file):
        shutil.rmtree(work, ignore_errors=True)
    try:
        work.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Mistake(f"--output {output}: {error.strerror}") from error
    header = {"settings": settings.to_dict()} | {
        name: origin[name] for name in ("commit", "dirty", "versions", "hardware")
    }
    journal = Journal(file, header)
    measurements = plan(settings, work)
    with JobRunner(settings.threads, work / "jobs.log") as runner:
        for number, measurement in enumerate(measurements, start=1):
            if measurement not in journal.done:
                _measure(measurement, settings, runner, journal, work)
                _tell(number, len(measurements), measurement, journal.done[measurement])
            last = number == len(measurements)
            if last or measurements[number].part != measurement.part:
                write_record(make_record(journal.done, settings, origin), output)
    print((output / "benchmark.md").read_text())
    print(f"written: {output}/benchmark.json, benchmark.md", file=sys.stderr)


def describe_origin() -> dict[str, Any]:
    """Say what makes the figures: command, code, versions and machine."""
    commit, dirty = describe_code(ROOT)
    return {
        "command": recorded_command(sys.argv[1:]),
        "commit": commit,
        "dirty": dirty,
        "versions": describe_versions(),
        "hardware": describe_hardware(),
    }


def recorded_command(words: list[str]) -> list[str]:
    """Give the command without what says nothing of the figures.

    Args:
        words: Words after the program's name.

    Returns:
        The command without the folder of the results, which is this machine's.
    """
    kept = [
        word
        for before, word in zip(["", *words], words, strict=False)
        if "--output" not in (before, word) and not word.startswith("--output=")
    ]
    return ["bash", "scripts/benchmark.sh", *kept]


def _measure(
    measurement: Measurement,
    settings: Settings,
    runner: JobRunner,
    journal: Journal,
    work: Path,
) -> None:
    reason = reason_to_skip(measurement, settings, journal.done)
    reason = reason or reason_not_trained(measurement, journal.done)
    if reason is not None:
        journal.add(measurement, {"skipped": reason})
        return
    _prepare(measurement, settings, work)
    for_memory = measurement.purpose == "memory" and settings.device == "cpu"
    journal.add(measurement, runner.do(measurement.job, for_memory))


def _prepare(measurement: Measurement, settings: Settings, work: Path) -> None:
    """Write the corpus or the dictionaries that a job reads."""
    job = measurement.job
    corpus = Path(job.folder) / "corpus"
    if measurement.part in ("growth", "sampling") and job.kind == "training_step":
        write_corpus(corpus, job.vocabulary, job.length, {}, settings.seed)
    elif measurement.part in ("step", "train", "decode", "generate"):
        updates = settings.updates + settings.skipped_updates
        sizes = {settings.sentences, settings.published_sentences}
        tests = {f"test{size}": size for size in {*sizes, *settings.batch_sizes} - {0}}
        batches = (updates + 1) * settings.update_freq
        train = batches * settings.tokens // settings.length
        write_corpus(
            work / "corpus",
            settings.vocabulary,
            settings.length,
            {"train": train, "valid": 8, **tests},
            settings.seed,
        )


def _tell(
    number: int, total: int, measurement: Measurement, result: dict[str, Any]
) -> None:
    if "skipped" in result:
        text = f"skipped: {result['skipped']}"
    else:
        text = ", ".join(f"{name} {value:,.4g}" for name, value in result.items())
    clock = time.strftime("%H:%M:%S")
    print(f"{clock} [{number}/{total}] {measurement.label}: {text}", file=sys.stderr)


def _end(number: int, frame: FrameType | None) -> None:
    del frame
    sys.exit(128 + number)
