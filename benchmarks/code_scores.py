"""Jobs with the softmax of codes alone: through the table, or by sums of scores."""

from __future__ import annotations

import torch

from alone_fairseq.embeddings.codes import CodesEmbedding

from .embedding_jobs import build_embedding
from .job import DTYPES, Job
from .measure import seconds_per_call


def scores(job: Job) -> dict[str, float]:
    """Score all words for ``batch`` states, as translation does; the table is kept.

    Args:
        job: What to build, with ``vocabulary``, ``batch`` and the ``dim`` of its model.

    Returns:
        ``seconds`` a batch.
    """
    embedding, states = _build(job, job.batch)
    embedding.eval()

    def call() -> None:
        with torch.no_grad():
            embedding.tied_logits(states)

    return {"seconds": seconds_per_call(call, job.steps, job.warm_up)}


def scores_training(job: Job) -> dict[str, float]:
    """Score all words for ``tokens`` states, and go back to codewords and states.

    Args:
        job: What to build, with ``vocabulary``, ``tokens`` and the model's ``dim``.

    Returns:
        ``seconds`` a batch.
    """
    embedding, states = _build(job, job.tokens)
    states.requires_grad_()
    gradient = torch.randn(
        job.tokens, job.vocabulary, device=job.device, dtype=states.dtype
    )

    def call() -> None:
        embedding.zero_grad(set_to_none=True)
        states.grad = None
        embedding.tied_logits(states).backward(gradient)

    return {"seconds": seconds_per_call(call, job.steps, job.warm_up)}


def _build(job: Job, count: int) -> tuple[CodesEmbedding, torch.Tensor]:
    assert job.variant is not None
    embedding = build_embedding(job)
    assert isinstance(embedding, CodesEmbedding)
    embedding.sums_are_cheaper = job.variant.name.endswith("_sums")
    shape = (count, job.model.dim)
    return embedding, torch.randn(shape, device=job.device, dtype=DTYPES[job.precision])
