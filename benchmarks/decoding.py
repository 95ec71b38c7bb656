"""Beam search, a batch at a time, with what is done once kept apart."""

from __future__ import annotations

from functools import partial

import torch
from fairseq.dataclass.configs import GenerationConfig
from fairseq.utils import move_to_cuda

from .batches import draw_batch
from .job import DTYPES, Job
from .measure import elapsed
from .training_step import set_up_task


def decoding(job: Job) -> dict[str, float]:
    """Translate batches as fairseq-generate does, the first one under its own clock.

    In the first batch ALONE builds its table, which it then keeps; so a whole
    translation of any length follows from the two times. Every hypothesis is as long as
    the sources, whatever the model likes best, so that all variants have the same work.

    Args:
        job: ``corpus`` in its folder holds the dictionaries; ``sentences`` to translate
            after the first batch, ``batch`` at a time. Of 0, the first one counts.

    Returns:
        ``sentences_per_second`` after the first batch, ``batch_seconds`` and
        ``first_batch_seconds``.
    """
    cfg, task = set_up_task(job)
    torch.manual_seed(job.seed)
    model = task.build_model(cfg.model).to(DTYPES[job.precision]).to(job.device).eval()
    model.prepare_for_inference_(cfg)
    search = GenerationConfig(
        beam=4, lenpen=0.6, max_len_a=0, max_len_b=job.length, min_len=job.length
    )
    generator = task.build_generator([model], search)

    def translate(number: int) -> None:
        tokens, seed = job.batch * job.length, job.seed + number
        batch = draw_batch(job.vocabulary, tokens, job.length, seed)
        if job.device == "cuda":
            batch = move_to_cuda(batch)
        task.inference_step(generator, [model], batch)

    batches = 1 + job.sentences // job.batch
    times = [elapsed(partial(translate, number), 1) for number in range(batches)]
    counted = times[1:] or times
    seconds = sum(counted) / len(counted)
    return {
        "sentences_per_second": job.batch / seconds,
        "batch_seconds": seconds,
        "first_batch_seconds": times[0],
    }
