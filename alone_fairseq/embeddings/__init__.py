"""Embedding methods: words in, vectors out.

A new method is one file here, and one line below.
"""

from .alone import AloneEmbedding
from .base import CompactEmbedding, TableSize
from .characters import CharactersEmbedding
from .codes import CodesEmbedding
from .deep_hash import DeepHashEmbedding
from .define import DefineEmbedding
from .hashed import HashedEmbedding
from .lookup import LookupEmbedding
from .low_rank import LowRankEmbedding
from .options import MethodOptions, add_flags, option
from .random_table import RandomTableEmbedding
from .registry import (
    CONFIGS,
    EMBEDDINGS,
    build,
    for_each_method,
    refuse_options_of_others,
    register_embedding,
)

__all__ = [
    "CONFIGS",
    "EMBEDDINGS",
    "AloneEmbedding",
    "CharactersEmbedding",
    "CodesEmbedding",
    "CompactEmbedding",
    "DeepHashEmbedding",
    "DefineEmbedding",
    "HashedEmbedding",
    "LookupEmbedding",
    "LowRankEmbedding",
    "MethodOptions",
    "RandomTableEmbedding",
    "TableSize",
    "add_flags",
    "build",
    "for_each_method",
    "option",
    "refuse_options_of_others",
    "register_embedding",
]
