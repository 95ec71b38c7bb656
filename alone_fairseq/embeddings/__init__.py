"""Embedding methods: words in, vectors out.

A new method is one file here, and one line below.
"""

from . import alone, codes, lookup, low_rank, random_table
from .base import CompactEmbedding, TableSize
from .options import MethodOptions, add_flags, option
from .registry import (
    CONFIGS,
    EMBEDDINGS,
    build,
    for_each_method,
    register_embedding,
)

__all__ = [
    "CONFIGS",
    "EMBEDDINGS",
    "CompactEmbedding",
    "MethodOptions",
    "TableSize",
    "add_flags",
    "alone",
    "build",
    "codes",
    "for_each_method",
    "lookup",
    "low_rank",
    "option",
    "random_table",
    "register_embedding",
]
