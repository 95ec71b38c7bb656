"""Beam search, a batch at a time, with what is done once kept apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from statistics import median

import torch
from fairseq.dataclass.configs import GenerationConfig
from fairseq.utils import move_to_cuda

from .batches import draw_batch
from .job import DTYPES, Job, Variant
from .measure import elapsed
from .training_step import set_up_task

Translate = Callable[[int], float]


def decoding(job: Job) -> dict[str, float]:
    """Translate batches as fairseq-generate does, the first one under its own clock.

    In the first batch ALONE builds its table, which it then keeps; so a whole
    translation of any length follows from the two times. Every hypothesis is as long as
    the sources, whatever the model likes best, so that all variants have the same work.

    After the first batch a look-up model in the same process translates the same, batch
    by batch, each of the two first in turn: one batch takes up to a tenth longer than
    the next on a shared machine, several times what is to be seen. Look-up itself has
    one beside it too, which tells what is not the embedding's: where a table happens to
    lie in memory moves the softmax by some hundredths for the life of a process.

    Args:
        job: ``corpus`` in its folder holds the dictionaries; ``sentences`` to translate
            after the first batch, ``batch`` at a time. Of 0, the first one counts.

    Returns:
        ``sentences_per_second`` after the first batch, ``batch_seconds`` and
        ``first_batch_seconds``; where there are batches after the first, ``of_lookup``
        too, the median over them of the speed as a share of look-up's.
    """
    translate = _translator(job)
    first = translate(0)
    later = range(1, 1 + job.sentences // job.batch)
    times, shares = _beside_lookup(translate, job, later) if later else ([first], [])
    seconds = sum(times) / len(times)
    return {
        "sentences_per_second": job.batch / seconds,
        "batch_seconds": seconds,
        "first_batch_seconds": first,
        **({"of_lookup": median(shares)} if shares else {}),
    }


def _translator(job: Job) -> Translate:
    """Give what translates the batch of a number and tells the seconds it took."""
    cfg, task = set_up_task(job)
    torch.manual_seed(job.seed)
    model = task.build_model(cfg.model).to(DTYPES[job.precision]).to(job.device).eval()
    model.prepare_for_inference_(cfg)
    search = GenerationConfig(
        beam=4, lenpen=0.6, max_len_a=0, max_len_b=job.length, min_len=job.length
    )
    generator = task.build_generator([model], search)

    def translate(number: int) -> float:
        tokens, seed = job.batch * job.length, job.seed + number
        batch = draw_batch(job.vocabulary, tokens, job.length, seed)
        if job.device == "cuda":
            batch = move_to_cuda(batch)
        return elapsed(partial(task.inference_step, generator, [model], batch), 1)

    return translate


def _beside_lookup(
    translate: Translate, job: Job, numbers: range
) -> tuple[list[float], list[float]]:
    lookup = _translator(replace(job, variant=Variant("lookup")))
    lookup(0)
    times, shares = [], []
    for number in numbers:
        turns = [translate, lookup] if number % 2 else [lookup, translate]
        seconds = {turn: turn(number) for turn in turns}
        times.append(seconds[translate])
        shares.append(seconds[lookup] / seconds[translate])
    return times, shares
