"""The list of embedding methods, by name."""

from __future__ import annotations

import dataclasses
from argparse import Namespace
from collections.abc import Callable, Collection
from typing import Any, TypeVar

from ..errors import AloneError
from ..names import find, refuse_bad_name
from .base import CompactEmbedding, TableSize
from .options import MethodOptions, flag_of

Method = TypeVar("Method", bound=type[CompactEmbedding])

EMBEDDINGS: dict[str, type[CompactEmbedding]] = {}
CONFIGS: dict[str, type[MethodOptions]] = {}
_followers: list[Callable[[str], None]] = []


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
    refuse_bad_name(EMBEDDINGS, name, "embedding method")
    for field in dataclasses.fields(config):
        if not field.name.startswith(f"{name}_"):
            raise ValueError(f"field {field.name!r} does not start with '{name}_'")

    def register(method: Method) -> Method:
        method.method, method.config_class = name, config
        EMBEDDINGS[name] = method
        CONFIGS[name] = config
        for follow in _followers:
            follow(name)
        return method

    return register


def for_each_method(follow: Callable[[str], None]) -> None:
    """Do something with the name of each method, those of later plugins too.

    Args:
        follow: Called with each registered name, now or when it is registered.
    """
    _followers.append(follow)
    for name in EMBEDDINGS:
        follow(name)


def refuse_options_of_others(given: Any, methods: Collection[str]) -> None:
    """Refuse options of methods that are not chosen, which nothing would heed.

    Args:
        given: Object that may have options as attributes.
        methods: The chosen methods. With a name that is none nothing is refused here:
            what builds it does that.

    Raises:
        AloneError: In one line, if there is such an option with another value than its
            default.
    """
    if not CONFIGS.keys() >= {*methods}:
        return
    # Not the fields of their classes: a method may read those of another one's.
    own: set[str] = set()
    for method in methods:
        own |= vars(CONFIGS[method].from_namespace(Namespace())).keys()
    for owner, config in CONFIGS.items():
        for field in dataclasses.fields(config):
            value = getattr(given, field.name, None)
            if field.name not in own and value not in (None, field.default):
                raise AloneError(
                    f"{flag_of(field.name)} belongs to --embedding-method {owner}, and"
                    f" the model has {' and '.join(methods)}: name that method, or"
                    " remove the flag"
                )


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
    method = find(EMBEDDINGS, name, "--embedding-method")
    return method(*size, config=CONFIGS[name].from_namespace(options))
