"""What a training says of the size of its embeddings, before it starts."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from torch import distributed

from .embeddings import CompactEmbedding, TableSize
from .embeddings.free_size import largest, lookup_values
from .embeddings.options import flag_of
from .footprint import Footprint
from .model_parts import table_size

if TYPE_CHECKING:
    from .compact_model import CompactModel

logger = logging.getLogger(__name__)

HALF = 0.5


def log_size(model: CompactModel) -> None:
    """Log one line, and a warning where the embeddings save nothing.

    Of several processes the first one does.

    Args:
        model: A model that is about to be trained.
    """
    parallel = distributed.is_available() and distributed.is_initialized()
    if parallel and distributed.get_rank() > 0:
        return
    logger.info(describe(model))
    warning = warn(model)
    if warning:
        logger.warning(warning)


def describe(model: CompactModel) -> str:
    """Say what the embeddings take: trained values, share of look-up, stored bytes.

    Args:
        model: The model.

    Returns:
        One line.
    """
    size = measured(model)
    whole = lookup_values(tables(model))
    methods = dict.fromkeys(e.method for e in model.compact_embeddings())
    return (
        f"embedding ({', '.join(methods)}): {size.trained_values:,} trained values,"
        f" {size.trained_values / whole:.1%} of the {whole:,} of look-up,"
        f" {size.stored_bytes:,} bytes; {places(model)}"
    )


def measured(model: CompactModel) -> Footprint:
    """Measure all embeddings of a model together, a shared one once."""
    first, *rest = (each.footprint() for each in model.compact_embeddings())
    return sum(rest, first)


def tables(model: CompactModel) -> list[TableSize]:
    """List the sizes of a model's embeddings, a shared one's once."""
    # With the words: what a method that reads spellings takes follows from them.
    words = dict(model.sides().values())
    return [
        table_size(words[each], each.embedding_dim)
        for each in model.compact_embeddings()
    ]


def places(model: CompactModel) -> str:
    """Say which embedding serves what, and what the softmax has of its own.

    Args:
        model: The model.
    """
    uses: dict[CompactEmbedding, list[str]] = {}
    for side, (embedding, _) in model.sides().items():
        uses.setdefault(embedding, []).append(side)
    output = model.output_layer()
    inside = {id(p) for each in uses for p in each.parameters()}
    for each, names in uses.items():
        if any(module is each for module in output.modules()):
            names.append("softmax")
    found = [
        f"{' and '.join(names)} {each.footprint().trained_values:,}"
        for each, names in uses.items()
    ]
    own = sum(p.numel() for p in output.parameters() if id(p) not in inside)
    if own:
        found.append(f"softmax {own:,} more of its own")
    return ", ".join(found)


def warn(model: CompactModel) -> str | None:
    """Say that the embeddings are no smaller than look-up tables, where they are not.

    Args:
        model: The model.

    Returns:
        One line with the size that would be half, or ``None``; also for a method that
        has no size to choose.
    """
    trained, whole = measured(model).trained_values, lookup_values(tables(model))
    embedding, *_ = model.compact_embeddings()
    name = embedding.config.free_size()
    if name is None or trained < whole:
        return None
    half = largest(
        type(embedding),
        embedding.config,
        tables(model),
        lambda size: size.trained_values <= HALF * whole,
    )
    flag = flag_of(name)
    remedy = (
        f"{flag} {getattr(half, name)} would be half of it (also {flag} auto:{HALF})"
        if half
        else f"no {flag} would be half of it: lower what else takes values"
    )
    return (
        f"the embedding is no smaller than look-up ({trained:,} trained values,"
        f" {trained / whole:.0%}): {remedy}"
    )
