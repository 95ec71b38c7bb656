"""How long a table of word vectors lives: built once, dropped when it could change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.optimizer import register_optimizer_step_post_hook

from .gradient_sum import GradientSum

_optimizer_steps = 0


def _count_optimizer_step(*_: Any) -> None:
    global _optimizer_steps
    _optimizer_steps += 1


# fairseq's optimisers write through ``parameter.data``, which leaves no trace in the
# parameter's version counter, so steps are counted as well.
register_optimizer_step_post_hook(_count_optimizer_step)


class TableKeeper:
    """Keeps one ``(V, D)`` table of a module, while it cannot have changed.

    A table lives for one of three spans:

    - Between forward passes it is kept only in evaluation mode without gradients, and
      only as long as all tensors of the module are the same in memory, version, type
      and device, autocast is as it was, and no optimiser has made a step. A write
      through ``.data`` by hand, in evaluation mode, is the one change without a trace:
      :meth:`drop` is due after it.
    - Within a forward pass, marked by :meth:`one_pass`, it is kept with its gradients.
    - From one forward pass to the next of an update it is kept where ``spans_update``
      is set; gradients then gather at the table.

    Attributes:
        spans_update: Whether the passes of an update share a table. Whoever sets it
            has to call :meth:`pass_on_gradient` before each optimiser step.
    """

    def __init__(self) -> None:
        """Start with no table."""
        self.spans_update = False
        self._in_pass = False
        self._table: Tensor | None = None
        self._state: tuple[Any, ...] = ()
        self._memory: list[Tensor] = []
        self._made_at_rest = False
        self._sum: GradientSum | None = None

    @contextmanager
    def one_pass(self) -> Iterator[None]:
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

    def for_input(
        self, module: nn.Module, build: Callable[[], Tensor], softmax_follows: bool
    ) -> Tensor | None:
        """Return the table to look input up in.

        Args:
            module: The module that this object belongs to.
            build: Builds its table.
            softmax_follows: Whether the softmax will need the table anyway.

        Returns:
            Table of shape ``(V, D)``, built now only if the softmax will need it;
            ``None`` if there is none and it would be built for this look-up only.
        """
        tensors = _tensors(module)
        if not self._may_keep(module, tensors):
            return None
        if softmax_follows:
            return self._get(module, build, tensors)
        return self._current(_state_of(tensors))

    def get(self, module: nn.Module, build: Callable[[], Tensor]) -> Tensor:
        """Return the table, kept where possible and else built.

        Args:
            module: The module that this object belongs to.
            build: Builds its table.

        Returns:
            Table of shape ``(V, D)``; with gradients where they are enabled.
        """
        tensors = _tensors(module)
        if not self._may_keep(module, tensors):
            return build()
        return self._get(module, build, tensors)

    # To list the tensors takes longer than all else where the table is there, and a
    # decoding step does it twice: so each call lists them once.
    def _get(
        self, module: nn.Module, build: Callable[[], Tensor], tensors: list[Tensor]
    ) -> Tensor:
        state = _state_of(tensors)
        table = self._current(state)
        if table is None:
            self.pass_on_gradient()
            table = self._make(module, build)
            self._table, self._state = table, state
            # A reference to the memory, so that no other tensor can take its place.
            self._memory = [tensor.detach() for tensor in tensors]
            self._made_at_rest = _is_at_rest(module)
        return table

    def _make(self, module: nn.Module, build: Callable[[], Tensor]) -> Tensor:
        trained = next((p for p in module.parameters() if p.requires_grad), None)
        training = module.training and torch.is_grad_enabled() and trained is not None
        if not (self.spans_update and self._in_pass and training):
            return build()
        assert trained is not None
        # In the parameters' own precision, as fairseq adds up their gradients: float16
        # sums of many batches, which autocast would leave here, overflow.
        with torch.autocast(trained.device.type, enabled=False):
            table = build()
        self._sum = GradientSum(table, trained)
        return self._sum.leaf

    def _current(self, state: tuple[Any, ...]) -> Tensor | None:
        if self._sum is not None and self._sum.is_worthless():
            self.drop_all()
        if self._state == state:
            return self._table
        self.drop()
        return None

    def _may_keep(self, module: nn.Module, tensors: list[Tensor]) -> bool:
        # Tensors made in inference mode do not count their changes; those of
        # torch.export and torch.func have no memory that they could be known by.
        return (self._in_pass or _is_at_rest(module)) and not any(
            tensor.is_inference() or _stands_for_another(tensor) for tensor in tensors
        )

    def pass_on_gradient(self) -> None:
        """Send what the passes of an update left at its table to the parameters.

        Raises:
            AloneError: If the parameters' gradients were changed since, by other than
                a backward pass.
        """
        if self._sum is not None:
            self._sum.pass_on()
        self.drop_all()

    def drop(self) -> None:
        """Forget the table and free its memory, unless an update has need of it."""
        if self._sum is None:
            self._table, self._state, self._memory = None, (), []

    def drop_all(self) -> None:
        """Forget the table of an update too, with the gradients that wait there."""
        if self._sum is not None:
            self._sum.drop()
            self._sum = None
        self.drop()

    def __deepcopy__(self, memo: dict[int, Any]) -> TableKeeper:
        """Copies of a model start without a table."""
        return TableKeeper()

    def __reduce__(self) -> tuple[type[TableKeeper], tuple[()]]:
        """Pickled models carry no table."""
        return TableKeeper, ()


def _tensors(module: nn.Module) -> list[Tensor]:
    return [*module.parameters(), *module.buffers()]


def _stands_for_another(tensor: Tensor) -> bool:
    try:
        tensor.data_ptr()
    except RuntimeError:
        return True
    return False


def _is_at_rest(module: nn.Module) -> bool:
    return not (module.training or torch.is_grad_enabled())


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
