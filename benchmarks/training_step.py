"""One whole training step of the Transformer, by fairseq's own trainer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from fairseq import options, tasks
from fairseq.dataclass.utils import convert_namespace_to_omegaconf
from fairseq.logging import metrics
from fairseq.trainer import Trainer

from .batches import draw_batch, draw_text
from .corpus import language_flags
from .job import Job
from .measure import MemoryGauge, seconds_per_call


def training_step(job: Job) -> dict[str, float]:
    """Run forward pass, criterion, backward pass and optimiser on one batch.

    Args:
        job: ``corpus`` in its folder holds the dictionaries.

    Returns:
        ``tokens_per_second`` (target tokens), ``seconds`` a step, and ``peak_bytes``
        of model, optimiser and step.
    """
    cfg, task = set_up_task(job)
    gauge = MemoryGauge(job.device)
    trainer = build_trainer(job, cfg, task)
    draw = draw_text if job.language_model else draw_batch
    batch = draw(job.vocabulary, job.tokens, job.length, job.seed)
    trainer._dummy_batch = batch  # what it gives a worker that has run out of data
    seconds = seconds_per_call(
        lambda: trainer.train_step([batch]), job.steps, job.warm_up
    )
    return {
        "seconds": seconds,
        "tokens_per_second": batch["ntokens"] / seconds,
        "peak_bytes": gauge.peak_bytes(),
    }


def set_up_task(job: Job) -> tuple[Any, Any]:
    """Read the command line and the dictionaries as fairseq-train does.

    Args:
        job: The job; ``corpus`` in its folder holds the dictionaries.

    Returns:
        fairseq's configuration and task.
    """
    parser = options.get_training_parser()
    words = [str(Path(job.folder) / "corpus"), *training_flags(job)]
    cfg = convert_namespace_to_omegaconf(options.parse_args_and_arch(parser, words))
    return cfg, tasks.setup_task(cfg.task)


def build_trainer(job: Job, cfg: Any, task: Any) -> Any:
    """Build model, criterion and trainer as fairseq-train does.

    Args:
        job: The job; its seed gives the parameters.
        cfg: fairseq's configuration.
        task: fairseq's task.

    Returns:
        fairseq's trainer.
    """
    torch.manual_seed(job.seed)
    model = task.build_model(cfg.model)
    metrics.reset()
    return Trainer(cfg, task, model, task.build_criterion(cfg.criterion))


def training_flags(job: Job) -> list[str]:
    """Give the flags of fairseq-train: the paper's recipe around the variant.

    Args:
        job: The job.

    Returns:
        All flags but those that say where data and checkpoints are and when to stop.
    """
    assert job.variant is not None
    flags = [*job.model.flags(job.language_model), *job.variant.flags()]
    if job.language_model:
        flags += ["--task", "language_modeling"]
        flags += ["--tokens-per-sample", str(job.length)]
    else:
        flags += language_flags()
    if job.variant.name.endswith("_sampled"):
        flags += ["--sampled-words", str(job.sampled_words), "--sampled-log-q"]
    flags += ["--dropout", "0.2", "--clip-norm", "1.0"]
    flags += ["--criterion", job.variant.criterion, "--label-smoothing", "0.1"]
    muon_for = job.variant.muon_for
    muon = ["--optimizer", "adam_muon", "--muon-for", muon_for]
    flags += muon if muon_for else ["--optimizer", "adam"]
    flags += ["--adam-betas", "(0.9, 0.98)"]
    flags += [
        "--lr",
        "0.0015",
        "--lr-scheduler",
        "inverse_sqrt",
        "--warmup-updates",
        "4000",
    ]
    flags += ["--warmup-init-lr", "1e-7", "--max-tokens", str(job.tokens)]
    flags += ["--update-freq", str(job.update_freq)]
    flags += ["--seed", str(job.seed), "--num-workers", "0"]
    flags += ["--distributed-world-size", "1"]
    flags += ["--cpu"] if job.device == "cpu" else []
    if job.precision == "fp32":
        return flags
    # fairseq makes one vector of all parameters, where Muon needs the matrices.
    flags += ["--fp16-no-flatten-grads"] if muon_for else []
    return [*flags, f"--{job.precision}"]
