"""Bringing an embedding close to given vectors, without fairseq.

``alone-fairseq reconstruct`` has more: distances, scores, and going on after a kill.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ..errors import AloneError

if TYPE_CHECKING:
    from .base import CompactEmbedding

UPDATES = 2000
BATCH = 512
LR = 2e-3
SEED = 1


def fit(embedding: CompactEmbedding, vectors: Tensor, updates: int = UPDATES) -> None:
    """Minimise the squared distance to given vectors by Adam.

    Takase and Kobayashi (2020), equation 4. The words of an update are drawn uniformly
    from a fixed seed; the learning rate falls to 0 along half a cosine.

    Args:
        embedding: What is fitted, in place.
        vectors: The given vectors, ``(V, D)``.
        updates: How many updates, at least 1.

    Raises:
        AloneError: If the embedding has nothing to train.
    """
    trained = [p for p in embedding.parameters() if p.requires_grad]
    if not trained:
        raise AloneError(
            f"--embedding-method {embedding.method} has no values to train, so it"
            " cannot come close to given vectors"
        )
    generator = torch.Generator("cpu").manual_seed(SEED)
    optimizer = torch.optim.Adam(trained, lr=LR)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, updates)
    with torch.enable_grad():
        for _ in range(updates):
            drawn = torch.randint(
                len(vectors), (BATCH,), generator=generator, device="cpu"
            )
            words = drawn.to(vectors.device)
            distances = (embedding.rows(words) - vectors[words]).square().sum(-1)
            optimizer.zero_grad()
            distances.mean().backward()
            optimizer.step()
            schedule.step()
    optimizer.zero_grad()


@torch.no_grad()
def lost_share(embedding: CompactEmbedding, vectors: Tensor) -> float:
    """Tell how much of given vectors an embedding does not give.

    Args:
        embedding: The embedding.
        vectors: The given vectors, ``(V, D)``, not all zero.

    Returns:
        ``||E - E'||^2 / ||E||^2`` over all words: 0 where they are equal, 1 where
        nothing of them is there.
    """
    lost = (embedding.table() - vectors).double().square().sum()
    return float(lost / vectors.double().square().sum())
