"""What the figures are measured against."""

from __future__ import annotations

from dataclasses import dataclass

from .job import Job
from .settings import Settings

PUBLISHED_VOCABULARY = 32768
PUBLISHED_INTER_DIMS = (4096, 8192)
GPU_SHARE_OF_LOOKUP = {4096: 0.95, 8192: 0.90}


@dataclass(frozen=True)
class Target:
    """A bound on a ratio.

    Attributes:
        of: To what the ratio is: ``lookup``, ``published`` or ``matrix_rate``.
        at_least: Lower bound, or ``None``.
        at_most: Upper bound, or ``None``.
    """

    of: str
    at_least: float | None = None
    at_most: float | None = None

    def __str__(self) -> str:
        """Write it for a table."""
        sign, bound = ("≥", self.at_least) if self.at_least else ("≤", self.at_most)
        return f"{sign} {bound:g} of {self.of.replace('_', ' ')}"

    def reached(self, ratio: float) -> bool:
        """Tell whether a ratio is within the bound."""
        if self.at_least is not None:
            return ratio >= self.at_least
        return self.at_most is not None and ratio <= self.at_most


def targets(job: Job, purpose: str, settings: Settings) -> list[Target]:
    """Say what is asked of a figure.

    Args:
        job: One of the measurements behind the figure.
        purpose: ``time`` or ``memory``.
        settings: Sizes of the run; nothing is asked at other shapes than the
            paper's, V = 32,768, D = 512, H = 4096 or 8192.

    Returns:
        Bounds on ratios of ALONE to others, none for most figures.
    """
    variant = job.variant
    published_shape = (
        variant is not None
        and variant.method == "alone"
        and variant.inter_dim in PUBLISHED_INTER_DIMS
        and (job.vocabulary, job.model.dim) == (PUBLISHED_VOCABULARY, 512)
    )
    if variant is None or not published_shape:
        return []
    on_gpu = settings.device == "cuda"
    if job.kind == "table_training":
        if purpose == "memory":
            return [Target("published", at_most=0.5)]
        return [Target("matrix_rate", at_least=0.6)] if on_gpu else []
    if job.kind in ("decoding", "whole_generation"):
        return [Target("lookup", at_least=0.98), Target("published", at_least=20)]
    if job.kind not in ("training_step", "whole_training"):
        return []
    if not on_gpu:
        return [Target("published", at_least=1.5)] if purpose == "time" else []
    if job.tokens < 8192:
        return []
    if purpose == "memory":
        return [Target("lookup", at_most=1.15)]
    return [Target("lookup", at_least=GPU_SHARE_OF_LOOKUP[variant.inter_dim])]
