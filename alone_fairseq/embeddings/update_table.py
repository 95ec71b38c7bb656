"""One table for all micro-batches of an update."""

from __future__ import annotations

import weakref
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.optimizer import register_optimizer_step_pre_hook

from ..errors import AloneError

_waiting: weakref.WeakSet[UpdateTable] = weakref.WeakSet()


class UpdateTable:
    """A table whose gradient is summed over micro-batches and passed on once.

    Parameters do not change within an update, so its micro-batches can share one
    table. They see it as a leaf, in which autograd sums their gradients;
    :meth:`pass_on` sends the sum back through what built the table. Going back is
    linear, so the parameters get the gradients they would get from a table for each
    micro-batch, up to rounding.
    """

    def __init__(self) -> None:
        """Start without a table."""
        self._table: Tensor | None = None
        self._leaf: Tensor | None = None
        self._parameter: nn.Parameter | None = None
        self._gradient: Tensor | None = None

    def share(self, table: Tensor, parameter: nn.Parameter) -> Tensor:
        """Keep a table for the micro-batches to come.

        Args:
            table: Table of shape ``(V, D)`` with gradients.
            parameter: A parameter it was built from. Should its gradient be taken
                away, as fairseq does with all of them after running out of memory,
                then the sum is worth nothing any more.

        Returns:
            The leaf to be used in place of ``table``.
        """
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        self._parameter, self._gradient = parameter, parameter.grad
        self._table, self._leaf = table, table.detach().requires_grad_()
        _waiting.add(self)
        return self._leaf

    def current(self) -> Tensor | None:
        """Return the leaf of the update, ``None`` if there is none."""
        if self._parameter is not None and self._parameter.grad is not self._gradient:
            self.drop()
        return self._leaf

    def pass_on(self) -> None:
        """Add the summed gradient to those of the parameters, and forget the table."""
        leaf, table = self.current(), self._table
        self.drop()
        if table is not None and leaf is not None and leaf.grad is not None:
            torch.autograd.backward(table, leaf.grad)

    def drop(self) -> None:
        """Forget the table and the sum."""
        self._table = self._leaf = self._parameter = self._gradient = None
        _waiting.discard(self)

    def concerns(self, optimizer: Optimizer) -> bool:
        """Tell whether a sum waits that ``optimizer`` ought to have."""
        return self.current() is not None and any(
            parameter is self._parameter
            for group in optimizer.param_groups
            for parameter in group["params"]
        )


def _refuse_part_of_a_gradient(optimizer: Optimizer, *_: Any) -> None:
    if any(table.concerns(optimizer) for table in list(_waiting)):
        raise AloneError(
            "an optimiser step without the gradient of the embedding's table: call"
            " model.all_reduce_grads() after the last backward pass of an update"
        )


register_optimizer_step_pre_hook(_refuse_part_of_a_gradient)
