"""A small ALONE embedding, for tests."""

from argparse import Namespace
from typing import Any

import torch

from alone_fairseq.embeddings import TableSize, build
from alone_fairseq.embeddings.alone import AloneEmbedding

PAD = 1


def make(
    vocabulary: int = 300, dim: int = 16, *, seed: int = 1, **options: Any
) -> AloneEmbedding:
    """Build it; ``seed`` gives its initial values, ``options`` are ALONE's."""
    torch.manual_seed(seed)
    options.setdefault("alone_inter_dim", 24)
    embedding = build("alone", Namespace(**options), TableSize(vocabulary, dim, PAD))
    assert isinstance(embedding, AloneEmbedding)
    return embedding
