"""Jobs with an embedding alone: its table, its input side, its size."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable

import torch
from fairseq import options

from alone_fairseq.embeddings import CompactEmbedding, TableSize, build

from .batches import draw_tokens
from .job import DTYPES, Job
from .measure import MemoryGauge, seconds_per_call

PADDING_IDX = 1  # fairseq's


def table_forward(job: Job) -> dict[str, float]:
    """Build the table without gradients, as translation does.

    Args:
        job: What to build, with ``vocabulary`` and the ``dim`` of its model.

    Returns:
        ``seconds`` a table and ``peak_bytes``, the embedding's own included.
    """
    gauge = MemoryGauge(job.device)
    build_table = table_builder(job, build_embedding(job))

    def call() -> torch.Tensor:
        with torch.no_grad():
            return build_table()

    seconds = seconds_per_call(call, job.steps, job.warm_up)
    return {"seconds": seconds, "peak_bytes": gauge.peak_bytes()}


def table_training(job: Job) -> dict[str, float]:
    """Build the table with gradients and go back through it.

    Args:
        job: What to build, with ``vocabulary`` and the ``dim`` of its model.

    Returns:
        ``seconds`` for both directions and ``peak_bytes``, of which the gradient that
        arrives at the table is a part.
    """
    gauge = MemoryGauge(job.device)
    embedding = build_embedding(job)
    build_table = table_builder(job, embedding)
    shape = (job.vocabulary, job.model.dim)
    gradient = torch.full(
        shape, 1e-3, device=job.device, dtype=next(embedding.parameters()).dtype
    )

    def call() -> None:
        embedding.zero_grad(set_to_none=True)
        build_table().backward(gradient)

    seconds = seconds_per_call(call, job.steps, job.warm_up)
    return {"seconds": seconds, "peak_bytes": gauge.peak_bytes()}


def input_step(job: Job) -> dict[str, float]:
    """Train the embedding on the input side only: look up, go back, Adam.

    Args:
        job: What to build, with ``vocabulary``, ``tokens`` and the model's ``dim``.

    Returns:
        ``seconds`` a step and ``peak_bytes``, Adam's memory included.
    """
    gauge = MemoryGauge(job.device)
    embedding = build_embedding(job)
    optimizer = torch.optim.Adam(embedding.parameters())
    tokens = draw_tokens(job.vocabulary, (job.tokens,), job.seed).to(job.device)

    def call() -> None:
        optimizer.zero_grad(set_to_none=True)
        embedding(tokens).float().square().mean().backward()
        optimizer.step()

    seconds = seconds_per_call(call, job.steps, job.warm_up)
    return {"seconds": seconds, "peak_bytes": gauge.peak_bytes()}


def sizes(job: Job) -> dict[str, float]:
    """Count values and bytes, without memory for the parameters.

    Args:
        job: What to build, with ``vocabulary`` and the ``dim`` of its model.

    Returns:
        ``trained_values``; ``stored_bytes`` beside or in a checkpoint;
        ``resident_bytes`` of parameters, filters, codes and codebooks, in float32.
    """
    with torch.device("meta"):
        embedding = _build(job)
    footprint = embedding.footprint()
    resident = [*embedding.parameters(), *embedding.buffers()]
    return {
        "trained_values": footprint.trained_values,
        "stored_bytes": footprint.stored_bytes,
        "resident_bytes": sum(t.numel() * t.element_size() for t in resident),
    }


def table_builder(job: Job, embedding: CompactEmbedding) -> Callable[[], torch.Tensor]:
    """Give the function that builds the table; a compiled one for compiled variants."""
    assert job.variant is not None
    if job.variant.compiled:
        # In one piece: no part of it may be left to the interpreter unseen.
        return torch.compile(embedding.table, fullgraph=True)
    return embedding.table


def build_embedding(job: Job) -> CompactEmbedding:
    """Build the job's embedding in its precision, ready to train.

    Args:
        job: The job; its seed gives the parameters.

    Returns:
        The embedding on the job's device.
    """
    torch.manual_seed(job.seed)
    return _build(job).to(job.device, DTYPES[job.precision])


def _build(job: Job) -> CompactEmbedding:
    assert job.variant is not None
    parser = options.get_training_parser()
    words = ["data", *job.model.flags(), *job.variant.flags()]
    args: Namespace = options.parse_args_and_arch(parser, words)
    size = TableSize(job.vocabulary, job.model.dim, PADDING_IDX)
    return build(job.variant.method, args, size)
