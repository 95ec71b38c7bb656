"""Whole runs of fairseq-train and fairseq-generate."""

from __future__ import annotations

import io
import logging
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median

import torch
from fairseq_cli import generate, train

from alone_experiments.training.training_log import parse_line

from .corpus import language_flags
from .job import Job
from .measure import process_peak_bytes
from .training_step import training_flags

TRANSLATED = re.compile(
    r"Translated ([\d,]+) sentences .* in ([\d.]+)s \(([\d.]+) sentences/s"
)


def whole_training(job: Job) -> dict[str, float]:
    """Run fairseq-train for a number of updates.

    Args:
        job: ``steps`` updates after ``warm_up`` of which the speed does not count;
            ``folder`` holds the corpus in ``corpus`` and gets the checkpoint.

    Returns:
        ``tokens_per_second`` as its log has them, the median over the updates;
        ``peak_bytes`` of the process, on a GPU of the tensors on it.
    """
    folder = checkpoint_folder(job)
    (folder / "checkpoint_last.pt").unlink(missing_ok=True)
    words = [str(Path(job.folder) / "corpus"), *training_flags(job)]
    words += ["--save-dir", str(folder), "--max-update", str(job.warm_up + job.steps)]
    words += ["--no-epoch-checkpoints", "--disable-validation"]
    words += ["--no-save-optimizer-state"]
    words += ["--log-format", "json", "--log-interval", "1"]
    log = _run("fairseq-train", train.cli_main, words)
    on_gpu = job.device == "cuda"
    peak = torch.cuda.max_memory_allocated() if on_gpu else process_peak_bytes()
    return {
        "tokens_per_second": median_tokens_per_second(log, job.warm_up),
        "peak_bytes": peak,
    }


def median_tokens_per_second(log: Iterable[str], skip: int) -> float:
    """Read the speed of a training from its log.

    Args:
        log: Lines of ``fairseq-train --log-format json --log-interval 1``.
        skip: Number of first updates that do not count.

    Returns:
        Target tokens a second, the median over the updates.
    """
    parsed = (parse_line(line) for line in log)
    updates = [line[1] for line in parsed if line and line[0] == "train_inner"]
    return median(
        float(update["wps"]) for update in updates if int(update["num_updates"]) > skip
    )


def whole_generation(job: Job) -> dict[str, float]:
    """Run fairseq-generate with the checkpoint that :func:`whole_training` left.

    Every hypothesis is as long as the sentences of the corpus, whatever the model
    likes best, so that all variants have the same work.

    Args:
        job: ``sentences`` to translate, ``batch`` at a time.

    Returns:
        ``sentences_per_second`` and ``seconds`` as its log has them.
    """
    words = [str(Path(job.folder) / "corpus"), *language_flags()]
    words += ["--path", str(checkpoint_folder(job) / "checkpoint_last.pt")]
    words += ["--gen-subset", f"test{job.sentences}", "--batch-size", str(job.batch)]
    words += ["--beam", "4", "--lenpen", "0.6", "--max-len-a", "0"]
    words += ["--max-len-b", str(job.length), "--min-len", str(job.length)]
    words += ["--num-workers", "0", "--no-progress-bar", "--quiet"]
    words += ["--cpu"] if job.device == "cpu" else []
    # fairseq-generate knows no other half precision.
    words += [] if job.precision == "fp32" else ["--fp16"]
    sentences, seconds = read_translation_speed(
        _run("fairseq-generate", generate.cli_main, words)
    )
    return {"sentences_per_second": sentences / seconds, "seconds": seconds}


def read_translation_speed(log: Iterable[str]) -> tuple[int, float]:
    """Read how many sentences were translated in which time.

    Args:
        log: What fairseq-generate says.

    Returns:
        Sentences, and seconds; they are taken from the speed where that has more
        digits than the time.

    Raises:
        ValueError: If the log says nothing of it.
    """
    for line in log:
        if found := TRANSLATED.search(line):
            sentences = int(found[1].replace(",", ""))
            seconds, speed = float(found[2]), float(found[3])
            return sentences, seconds if seconds > speed else sentences / speed
    raise ValueError("fairseq-generate did not say how many sentences it translated")


def checkpoint_folder(job: Job) -> Path:
    """Name the folder of a variant's checkpoint."""
    assert job.variant is not None
    return Path(job.folder) / "checkpoints" / job.variant.label.replace(" ", "_")


def _run(name: str, command: Callable[[], None], words: list[str]) -> list[str]:
    user_dir = str(Path(__file__).parent / "published")
    sys.argv = [name, *words, "--user-dir", user_dir]
    said = io.StringIO()
    handler = logging.StreamHandler(said)
    # The form of fairseq's own log, which ``training_log`` reads.
    handler.setFormatter(
        logging.Formatter("%(asctime)s | INFO | %(name)s | %(message)s")
    )
    logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(logging.INFO)
    command()
    return said.getvalue().splitlines()
