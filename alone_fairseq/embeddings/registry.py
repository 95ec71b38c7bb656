"""The list of embedding methods, by name."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Callable
from typing import Any, TypeVar

from ..errors import AloneError
from .base import CompactEmbedding, TableSize
from .options import MethodOptions

Method = TypeVar("Method", bound=type[CompactEmbedding])

EMBEDDINGS: dict[str, type[CompactEmbedding]] = {}
CONFIGS: dict[str, type[MethodOptions]] = {}


def register_embedding(
    name: str, config: type[MethodOptions]
) -> Callable[[Method], Method]:
    """Make an embedding method known under ``name``.

    Args:
        name: Name for ``--embedding-method``, in snake_case.
        config: Its options. Every field starts with ``name`` and an underscore,
            since fairseq gives other meanings to many plain names.

    Returns:
        A class decorator.

    Raises:
        ValueError: If the name is taken or malformed, or a field is misnamed.
    """
    if not name.isidentifier() or name != name.lower():
        raise ValueError(f"embedding method {name!r} is not in snake_case")
    if name in EMBEDDINGS:
        raise ValueError(f"embedding method {name!r} is registered twice")
    for field in dataclasses.fields(config):
        if not field.name.startswith((f"{name}_", "_")):
            raise ValueError(f"field {field.name!r} does not start with '{name}_'")

    def register(method: Method) -> Method:
        EMBEDDINGS[name] = method
        CONFIGS[name] = config
        return method

    return register


def build(name: str, options: Any, size: TableSize) -> CompactEmbedding:
    """Build an embedding.

    Args:
        name: Name of a registered method.
        options: Object that may have the method's options as attributes, such as
            fairseq's namespace; the others get their defaults.
        size: The size of its table.

    Returns:
        The embedding, its parameters drawn from torch's global generator.

    Raises:
        AloneError: If there is no such method or an option is out of range.
    """
    if name not in EMBEDDINGS:
        close = difflib.get_close_matches(name, EMBEDDINGS, n=1)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        raise AloneError(
            f"--embedding-method '{name}' does not exist"
            f" (there are {', '.join(EMBEDDINGS)}){hint}"
        )
    config = CONFIGS[name].from_namespace(options)
    embedding = EMBEDDINGS[name](config, size)
    embedding.finish(name)
    return embedding
