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
            :func:`~.embeddings.fit.lost_share`; ``None`` for a fresh start, and of a
            table of zeros.
    """

    names: tuple[str, ...]
    embedding: CompactEmbedding
    values_before: int
    lost: float | None

    def __str__(self) -> str:
        """Tell places and sizes in one line."""
        footprint = self.embedding.footprint()
        # What was frozen stays frozen, and is no smaller for that.
        size = footprint.trained_values or footprint.stored_values
        share = size / self.values_before
        line = (
            f"{', '.join(self.names)}: {self.values_before:,} values became {size:,}"
            f" ({share:.1%})"
        )
        return line if self.lost is None else f"{line}, {self.lost:.1%} lost at first"


def replace_embeddings(
    model: nn.Module,
    method: str,
    names: Sequence[str] | str | None = None,
    *,
    keep_vectors: bool = True,
    **options: Any,
) -> list[Replaced]:
    """Replace the look-up tables of a model by compact embeddings, in place.

    Modules that share a table share the embedding, and a linear layer tied to the table
    becomes a head tied to the embedding. Subclasses of ``nn.Embedding``, such as
    sinusoidal positions, stay. A model whose own code reads the ``weight`` of its
    embedding cannot run with one that has none.

    A frozen table becomes a frozen embedding. ``padding_idx`` is kept where padding is
    sure to be zeros: in all places of a table without a head, if its row is zero.
    Elsewhere that row is a word's, as ``nn.Embedding`` returns it: a head trains it.

    Args:
        model: Any model.
        method: Name of a registered embedding method.
        names: Names of the modules to replace, as in ``model.named_modules()``; every
            module that shares a table with one of them goes too; one may be given as
            plain text. All, if left out.
        keep_vectors: Whether the embedding comes as close to the table as it can. If
            not, it starts anew, as for a state that is going to be loaded.
        **options: The method's options by the names of their flags, with ``_``.

    Returns:
        What was replaced.

    Raises:
        AloneError: If there is no such method or module, or a table cannot be replaced;
            the model is then as it was.
    """
    made = find(EMBEDDINGS, method, "method")
    tables = _tables(model, [names] if isinstance(names, str) else names)
    heads = [_heads(model, places) for places in tables]
    # All are made before the first is put in: making one may be refused, too.
    replaced = [
        _make(model, made, places, tied, keep_vectors, options)
        for places, tied in zip(tables, heads, strict=True)
    ]
    for each, places, tied in zip(replaced, tables, heads, strict=True):
        _put(model, each.embedding, places, tied)
    return replaced


def _make(
    model: nn.Module,
    method: type[CompactEmbedding],
    places: list[str],
    heads: list[str],
    keep_vectors: bool,
    options: dict[str, Any],
) -> Replaced:
    first = _embedding(model, places[0])
    table, padding = first.weight.detach(), _padding(model, places, heads)
    if keep_vectors:
        embedding = method.from_vectors(table, padding, **options)
    else:
        words, dim = table.shape
        embedding = method(words, dim, padding, **options).to(table)
    lost = lost_share(embedding, table) if keep_vectors and table.any() else None
    embedding.train(first.training)
    if not first.weight.requires_grad:
        embedding.requires_grad_(False)
    return Replaced((*places, *heads), embedding, table.numel(), lost)


def _padding(model: nn.Module, places: list[str], heads: list[str]) -> int | None:
    """Name the row that is zeros in all places, now and later, if there is one."""
    first = _embedding(model, places[0])
    padding = first.padding_idx
    if padding is None or heads or first.weight[padding].any():
        return None
    same = all(_embedding(model, name).padding_idx == padding for name in places)
    return padding if same else None


def _embedding(model: nn.Module, name: str) -> nn.Embedding:
    module = model.get_submodule(name)
    assert isinstance(module, nn.Embedding)
    return module


def _tables(model: nn.Module, names: Sequence[str] | None) -> list[list[str]]:
    """Group the names of plain embeddings by the table that they read."""
    if type(model) is nn.Embedding:
        raise AloneError(
            "the model is an nn.Embedding itself: make the compact embedding of its"
            " weight by from_vectors"
        )
    groups: dict[int, list[str]] = {}
    for name, module in model.named_modules(remove_duplicate=False):
        if type(module) is nn.Embedding:
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
    chosen = [group for group in found if names is None or {*group} & {*names}]
    for name in (name for group in chosen for name in group):
        table = _embedding(model, name)
        if table.max_norm is not None:
            raise AloneError(
                f"{name} limits the norm of its vectors (max_norm), which no compact"
                " embedding does: leave it out by names"
            )
        if table.scale_grad_by_freq:
            raise AloneError(
                f"{name} divides gradients by how often a word occurs"
                " (scale_grad_by_freq), which no compact embedding does: leave it out"
                " by names"
            )
    return chosen


def _heads(model: nn.Module, places: list[str]) -> list[str]:
    """Name the linear layers tied to a table; nothing else may use it."""
    weight, heads = _embedding(model, places[0]).weight, []
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
    made: dict[nn.Module, TiedProjection] = {}
    for name in heads:
        linear = model.get_submodule(name)
        if linear not in made:  # a layer may have several names
            made[linear] = _head(embedding, linear)
        _set(model, name, made[linear])
    for name in places:
        _set(model, name, embedding)


def _head(embedding: CompactEmbedding, linear: nn.Module) -> TiedProjection:
    head = TiedProjection(embedding)
    bias: Tensor | None = linear.bias  # type: ignore[assignment]
    if bias is not None:
        head.bias = SoftmaxBias(bias.detach(), trained=True)
    if head.bias is not None and isinstance(bias, nn.Parameter):
        # The parameter itself, which the model may know by another name too.
        head.bias.values = bias
    return head.train(linear.training)


def _set(model: nn.Module, name: str, module: nn.Module) -> None:
    owner, _, attribute = name.rpartition(".")
    setattr(model.get_submodule(owner), attribute, module)
