"""Embedding methods: words in, vectors out.

A new method is one file here, and one line below.
"""

from . import alone, lookup, low_rank, random_table
from .base import CompactEmbedding
from .registry import CONFIGS, EMBEDDINGS, build, register_embedding

__all__ = [
    "CONFIGS",
    "EMBEDDINGS",
    "CompactEmbedding",
    "alone",
    "build",
    "lookup",
    "low_rank",
    "random_table",
    "register_embedding",
]
