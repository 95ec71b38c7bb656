"""Compact embeddings in the place of a model's ``nn.Embedding``s, whoever wrote it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from .embeddings import EMBEDDINGS, CompactEmbedding
from .embeddings.fit import lost_share
from .errors import AloneError
from .names import find
from .output import SoftmaxBias, TiedProjection


@dataclass(frozen=True)
class Replaced:
    """A table that was replaced.

    Attributes:
        names: Where it was: modules that read words, then heads tied to them.
        embedding: What is there now, one module for all of these places.
        values_before: Values of the table.
        lost: What the start does not have of the table, as
            :func:`~.embeddings.fit.lost_share`; ``None`` for a fresh start.
    """

    names: tuple[str, ...]
    embedding: CompactEmbedding
    values_before: int
    lost: float | None

    def __str__(self) -> str:
        """Tell places and sizes in one line."""
        size = self.embedding.footprint().trained_values
        share = size / self.values_before
        line = (
            f"{', '.join(self.names)}: {self.values_before:,} values became {size:,}"
            f" ({share:.1%})"
        )
        return line if self.lost is None else f"{line}, {self.lost:.1%} lost at first"


def replace_embeddings(
    model: nn.Module,
    method: str,
    names: Sequence[str] | None = None,
    *,
    keep_vectors: bool = True,
    **options: Any,
) -> list[Replaced]:
    """Replace the look-up tables of a model by compact embeddings, in place.

    Modules that share a table share the embedding, and a linear layer tied to the table
    becomes a head tied to the embedding. Subclasses of ``nn.Embedding``, such as
    sinusoidal positions, stay. A model whose own code reads the ``weight`` of its
    embedding cannot run with one that has none.

    Args:
        model: Any model.
        method: Name of a registered embedding method.
        names: Names of the modules to replace, as in ``model.named_modules()``; every
            module that shares a table with one of them goes too. All, if left out.
        keep_vectors: Whether the embedding comes as close to the table as it can. If
            not, it starts anew, as for a state that is going to be loaded.
        **options: The method's options by the names of their flags, with ``_``.

    Returns:
        What was replaced.

    Raises:
        AloneError: If there is no such method or module, or a table cannot be replaced.
    """
    made = find(EMBEDDINGS, method, "method")
    replaced = []
    for places in _tables(model, names):
        first = model.get_submodule(places[0])
        assert isinstance(first, nn.Embedding)
        heads = _heads(model, first.weight, places)
        table, padding = first.weight.detach(), first.padding_idx
        if keep_vectors:
            embedding = made.from_vectors(table, padding, **options)
        else:
            words, dim = table.shape
            embedding = made(words, dim, padding, **options).to(table)
        lost = lost_share(embedding, table) if keep_vectors else None
        embedding.train(first.training)
        _put(model, embedding, places, heads)
        replaced.append(Replaced((*places, *heads), embedding, table.numel(), lost))
    return replaced


def _tables(model: nn.Module, names: Sequence[str] | None) -> list[list[str]]:
    """Group the names of plain embeddings by the table that they read."""
    groups: dict[int, list[str]] = {}
    for name, module in model.named_modules(remove_duplicate=False):
        if type(module) is nn.Embedding:
            _refuse(name, module)
            groups.setdefault(id(module.weight), []).append(name)
    found = list(groups.values())
    known = {name for group in found for name in group}
    missing = [name for name in names or [] if name not in known]
    if missing or not found:
        there = ", ".join(sorted(known)) or "none"
        raise AloneError(
            f"the model has no nn.Embedding {' or '.join(missing)}".rstrip()
            + f" (there is {there})"
        )
    return [group for group in found if names is None or {*group} & {*names}]


def _refuse(name: str, module: nn.Embedding) -> None:
    if not name:
        raise AloneError(
            "the model is an nn.Embedding itself: make the compact embedding of its"
            " weight by from_vectors"
        )
    if module.max_norm is not None:
        raise AloneError(
            f"{name} limits the norm of its vectors (max_norm), which no compact"
            " embedding does: leave it out by names"
        )


def _heads(model: nn.Module, weight: Tensor, places: list[str]) -> list[str]:
    """Name the linear layers tied to a table; nothing else may use it."""
    heads = []
    for name, parameter in model.named_parameters(remove_duplicate=False):
        owner, _, attribute = name.rpartition(".")
        if parameter is not weight or owner in places:
            continue
        if type(model.get_submodule(owner)) is nn.Linear and attribute == "weight":
            heads.append(owner)
            continue
        kind = type(model.get_submodule(owner)).__name__
        raise AloneError(
            f"{name} is the table of {places[0]} too, and a {kind} cannot do without"
            " it: leave it out by names"
        )
    return heads


def _put(
    model: nn.Module, embedding: CompactEmbedding, places: list[str], heads: list[str]
) -> None:
    for name in heads:
        linear = model.get_submodule(name)
        head = TiedProjection(embedding)
        bias: Tensor | None = linear.bias  # type: ignore[assignment]
        if bias is not None:
            head.bias = SoftmaxBias(bias.detach(), trained=True)
        _set(model, name, head.train(linear.training))
    for name in places:
        _set(model, name, embedding)


def _set(model: nn.Module, name: str, module: nn.Module) -> None:
    owner, _, attribute = name.rpartition(".")
    setattr(model.get_submodule(owner), attribute, module)
