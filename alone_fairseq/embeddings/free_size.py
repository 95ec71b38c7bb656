"""The size that a method leaves free, solved from what it may take."""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from ..errors import AloneError
from ..footprint import Footprint
from .options import MethodOptions, flag_of, is_auto, share_of

if TYPE_CHECKING:
    from .base import CompactEmbedding, TableSize

_LIMIT = 2**31


def measure_tables(
    method: type[CompactEmbedding], config: MethodOptions, tables: Sequence[TableSize]
) -> Footprint:
    """Measure embeddings without memory for them.

    Args:
        method: Their class.
        config: Its options.
        tables: Size of each embedding, at least one.

    Returns:
        What all of them take together, in 32-bit precision.

    Raises:
        AloneError: If an option is out of range, or torch has no tensors of that size.
    """
    try:
        with torch.device("meta"):
            first, *rest = (method(*size, config=config).footprint() for size in tables)
    except (RuntimeError, TypeError, OverflowError) as error:
        raise AloneError(
            f"no table of {method.method} can be as large as this vocabulary, vector"
            " size and options of the method"
        ) from error
    return sum(rest, first)


def lookup_values(tables: Sequence[TableSize]) -> int:
    """Count the values of look-up tables of these sizes: the sum of ``V * D``."""
    return sum(size.num_embeddings * size.embedding_dim for size in tables)


def largest(
    method: type[CompactEmbedding],
    config: MethodOptions,
    tables: Sequence[TableSize],
    fits: Callable[[Footprint], bool],
) -> MethodOptions | None:
    """Find the largest free size that fits; footprints must grow with it.

    Args:
        method: Class of the embeddings.
        config: Its options; that of ``config.free_size()`` is not looked at.
        tables: Size of each embedding; all of them have the same options.
        fits: Whether what they take together is little enough.

    Returns:
        The options with that size, ``None`` if the smallest one does not fit.

    Raises:
        AloneError: If the method has no free size.
    """
    name = config.free_size()
    if name is None:
        raise AloneError(f"--embedding-method {method.method} has no size to choose")
    limits = config.__dataclass_fields__[name].metadata["range"]

    def with_size(value: int) -> MethodOptions:
        changed: dict[str, Any] = {name: value}
        return dataclasses.replace(config, **changed)

    def is_too_large(value: int) -> bool:
        return not limits.holds(value) or not fits(
            measure_tables(method, with_size(value), tables)
        )

    low = max(1, int(limits.at_least or 1))
    if is_too_large(low):
        return None
    while not is_too_large(2 * low):
        low *= 2
        if low > _LIMIT:
            raise AloneError(f"{flag_of(name)}: no value is too large")
    return with_size(low + bisect_left(range(low + 1, 2 * low), True, key=is_too_large))


def resolve(
    method: type[CompactEmbedding], config: Any, tables: Sequence[TableSize]
) -> Any:
    """Put a number in the place of ``auto:SHARE``.

    Args:
        method: Class of the embeddings.
        config: Its options.
        tables: Size of each embedding that has these options.

    Returns:
        The options; where the free size is ``auto:SHARE``, it is the largest with which
        the embeddings have no more than this share of a look-up table's values.

    Raises:
        AloneError: If no size is small enough.
    """
    name = config.free_size()
    value = getattr(config, name) if name else None
    if not is_auto(value):
        return config
    allowed = share_of(value) * lookup_values(tables)
    found = largest(method, config, tables, lambda f: f.trained_values <= allowed)
    if found is None:
        raise AloneError(
            f"{flag_of(name)} {value}: every size makes more than {int(allowed):,}"
            " values: ask for a larger share, or for less of what else takes values"
            f"{_set_besides(config, name)}"
        )
    return found


def _set_besides(config: Any, free: str) -> str:
    # Presets set options that nobody gave.
    given = [
        f"{flag_of(field.name)} {value}"
        for field in dataclasses.fields(config)
        if type(value := getattr(config, field.name)) is int
        and value != field.default
        and field.name != free
    ]
    return f" ({', '.join(given)})" if given else ""
