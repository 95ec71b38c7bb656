"""What the micro-batches of an update send back to a table that they share."""

from __future__ import annotations

import weakref
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.optimizer import register_optimizer_step_pre_hook

from ...errors import AloneError

_waiting: weakref.WeakSet[GradientSum] = weakref.WeakSet()


class GradientSum:
    """A gradient that is summed at a table and passed on to the parameters once.

    Parameters do not change within an update, so its micro-batches can share one
    table. They see it as a leaf, in which autograd sums their gradients;
    :meth:`pass_on` sends the sum back through what built the table. Going back is
    linear, so the parameters get the gradients they would get from a table for each
    micro-batch, up to rounding.

    Until then the sum has to share the fate of the parameters' gradients, which others
    may change: those of one parameter are watched. Taken away (set to ``None``, as
    fairseq does after running out of memory) they make the sum worthless. What else is
    done to them, by other than a backward pass, cannot be done to the sum: it is
    refused.

    Args:
        table: Table of shape ``(V, D)`` with gradients.
        parameter: A parameter it was built from, the one that is watched.

    Attributes:
        leaf: What is to be used in place of the table.
    """

    def __init__(self, table: Tensor, parameter: nn.Parameter) -> None:
        """Begin with nothing."""
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        self.leaf = table.detach().requires_grad_()
        self._table = table
        self._parameter = parameter
        self._gradient: Tensor = parameter.grad
        self._version = parameter.grad._version
        watch = parameter.register_post_accumulate_grad_hook
        self._hook = watch(self._expect_change)  # type: ignore[no-untyped-call] # torch's
        _waiting.add(self)

    def _expect_change(self, _: Tensor) -> None:
        self._version += 1

    def is_worthless(self) -> bool:
        """Tell whether the gradients that it would add to were taken away.

        Raises:
            AloneError: If they were changed by other than a backward pass.
        """
        gradient = self._parameter.grad
        if gradient is None or self not in _waiting:
            return True
        if gradient is not self._gradient or gradient._version != self._version:
            self.drop()
            raise AloneError(
                "the gradients of an update were changed before they were complete:"
                " call model.all_reduce_grads() first, or give the update up with"
                " zero_grad(set_to_none=True)"
            )
        return False

    def pass_on(self) -> None:
        """Add the sum to the gradients of the parameters, and end."""
        worthless = self.is_worthless()
        self.drop()
        if not worthless and self.leaf.grad is not None:
            torch.autograd.backward(self._table, self.leaf.grad)

    def drop(self) -> None:
        """End without passing anything on."""
        self._hook.remove()
        _waiting.discard(self)

    def concerns(self, optimizer: Optimizer) -> bool:
        """Tell whether ``optimizer`` ought to have the sum."""
        groups = optimizer.param_groups
        return self._parameter.grad is not None and any(
            parameter is self._parameter
            for group in groups
            for parameter in group["params"]
        )


def _refuse_part_of_a_gradient(optimizer: Optimizer, *_: Any) -> None:
    if any(each.concerns(optimizer) for each in list(_waiting)):
        raise AloneError(
            "an optimiser step without the gradient of the embedding's table: call"
            " model.all_reduce_grads() after the last backward pass of an update"
        )


register_optimizer_step_pre_hook(_refuse_part_of_a_gradient)
