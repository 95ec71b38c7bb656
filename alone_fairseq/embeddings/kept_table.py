"""An embedding's table: built once, dropped when it could change."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.optim.optimizer import register_optimizer_step_post_hook

from .update_table import UpdateTable

if TYPE_CHECKING:
    from .base import CompactEmbedding

_optimizer_steps = 0


def _count_optimizer_step(*_: Any) -> None:
    global _optimizer_steps
    _optimizer_steps += 1


# fairseq's optimisers write through ``parameter.data``, which leaves no trace in the
# parameter's version counter, so steps are counted as well.
register_optimizer_step_post_hook(_count_optimizer_step)


class KeptTable:
    """The ``(V, D)`` table of one embedding, while it cannot have changed.

    Between two forward passes it is kept only in evaluation mode without gradients, and
    only as long as all tensors of the embedding are the same in memory, version, type
    and device, autocast is as it was, and no optimiser has made a step. A write through
    ``.data`` by hand, in evaluation mode, is the one change without a trace: call
    :meth:`drop` after it.

    Within a forward pass, marked by :meth:`shared`, it is kept with its gradients, and
    from one forward pass to the next of an update where ``spans_update`` is set.

    Attributes:
        spans_update: Whether the passes of an update share a table. Whoever sets it
            has to call :meth:`pass_on_gradient` before each optimiser step.
    """

    def __init__(self) -> None:
        """Start with no table."""
        self.spans_update = False
        self._update = UpdateTable()
        self._update_key: tuple[Any, ...] = ()
        self._table: Tensor | None = None
        self._key: tuple[Any, ...] = ()
        self._made_at_rest = False
        self._in_pass = False

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Mark a forward pass, and the loss after it: one table serves all inside."""
        if self._in_pass:
            yield
            return
        self._in_pass = True
        try:
            yield
        finally:
            self._in_pass = False
            if not self._made_at_rest:
                self.drop()

    def for_input(self, embedding: CompactEmbedding) -> Tensor | None:
        """Return the table to look input up in.

        Args:
            embedding: The embedding that this object belongs to.

        Returns:
            Table of shape ``(V, D)``, built now if the softmax will need it anyway;
            ``None`` if there is none and it would be built for this look-up only.
        """
        tensors = _tensors(embedding)
        if embedding.serves_softmax and self._may_keep(embedding, tensors):
            return self._get_or_build(embedding, tensors)
        return self._current(embedding, tensors)

    def get_or_build(self, embedding: CompactEmbedding) -> Tensor:
        """Return the table, kept where possible and else built.

        Args:
            embedding: The embedding that this object belongs to.

        Returns:
            Table of shape ``(V, D)``; with gradients where they are enabled.
        """
        return self._get_or_build(embedding, _tensors(embedding))

    # To list the tensors takes longer than all else where the table is there, and a
    # decoding step does it twice: so each call lists them once.
    def _get_or_build(
        self, embedding: CompactEmbedding, tensors: list[Tensor]
    ) -> Tensor:
        table = self._current(embedding, tensors)
        if table is None:
            table = self._build(embedding, tensors)
            if self._may_keep(embedding, tensors):
                self._table, self._key = table, _state_of(tensors)
                self._made_at_rest = _is_at_rest(embedding)
        return table

    def _build(self, embedding: CompactEmbedding, tensors: list[Tensor]) -> Tensor:
        training = embedding.training and torch.is_grad_enabled()
        if not (self.spans_update and self._in_pass and training):
            return embedding.table()
        key = _state_of(tensors)
        table = self._update.current()
        if table is None or key != self._update_key:
            self._update.pass_on()
            table, self._update_key = embedding.table(), key
            trained = [p for p in embedding.parameters() if p.requires_grad]
            if trained:
                table = self._update.share(table, trained[0])
        return table

    def pass_on_gradient(self) -> None:
        """Send what the passes of an update left at its table to the parameters."""
        self._update.pass_on()

    def _current(
        self, embedding: CompactEmbedding, tensors: list[Tensor]
    ) -> Tensor | None:
        if not self._may_keep(embedding, tensors):
            return None
        if self._table is not None and self._key != _state_of(tensors):
            self.drop()
        return self._table

    def _may_keep(self, embedding: CompactEmbedding, tensors: list[Tensor]) -> bool:
        # Tensors made in inference mode do not count their changes.
        return (self._in_pass or _is_at_rest(embedding)) and not any(
            tensor.is_inference() for tensor in tensors
        )

    def drop(self) -> None:
        """Forget the table and free its memory."""
        self._table = None
        self._key = ()

    def drop_all(self) -> None:
        """Forget the table of an update too, with the gradients that wait there."""
        self.drop()
        self._update.drop()

    def __deepcopy__(self, memo: dict[int, Any]) -> KeptTable:
        """Copies of a model start without a table."""
        return KeptTable()

    def __reduce__(self) -> tuple[type[KeptTable], tuple[()]]:
        """Pickled models carry no table."""
        return KeptTable, ()


def _tensors(embedding: CompactEmbedding) -> list[Tensor]:
    return [*embedding.parameters(), *embedding.buffers()]


def _is_at_rest(embedding: CompactEmbedding) -> bool:
    return not (embedding.training or torch.is_grad_enabled())


def _state_of(tensors: list[Tensor]) -> tuple[Any, ...]:
    kind = tensors[0].device.type
    autocast = (
        torch.amp.is_autocast_available(kind)
        and torch.is_autocast_enabled(kind)
        and torch.get_autocast_dtype(kind)
    )
    return (
        torch.is_grad_enabled(),
        _optimizer_steps,
        autocast,
        *((t.data_ptr(), t._version, t.dtype, t.device) for t in tensors),
    )
