"""A module that keeps its table as long as a :class:`TableKeeper` may."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Self

import torch
from torch import Tensor, nn

from .keeper import TableKeeper


class KeptTable(nn.Module):
    """The part of an embedding that has to do with how long its table lives.

    Attributes:
        rows_are_cheap: Whether a word's vector costs about as much as a look-up: then
            nothing is gained by sharing one between the places of a word, or the
            softmax's table with the input.
    """

    rows_are_cheap = False

    def __init__(self) -> None:
        """Start with no table."""
        super().__init__()
        self._kept = TableKeeper()

    @torch.jit.unused
    def one_table(self) -> AbstractContextManager[None]:
        """Build the table at most once inside ``with``, also where it has gradients.

        For one forward pass, and the loss after it: no parameter may change inside, and
        after a backward pass there would be nothing left to go back through. Within
        another, it adds nothing.
        """
        return self._kept.one_pass()

    @torch.jit.unused
    def drop_table(self) -> None:
        """Forget the kept table: due after a write through ``.data`` in evaluation."""
        self._kept.drop()

    @torch.jit.unused
    def share_table_in_update(self, shared: bool) -> None:
        """Let all micro-batches of an update use one table, where it costs to build.

        Args:
            shared: Whether to. If so, :meth:`pass_on_gradient` is due before each
                optimiser step; a step without it is refused, by an optimiser that
                holds these parameters themselves.
        """
        self._kept.spans_update = shared and not self.rows_are_cheap

    @torch.jit.unused
    def pass_on_gradient(self) -> None:
        """Add to the parameters' gradients what an update's shared table has.

        Raises:
            AloneError: If the gradients were changed since, by other than a backward
                pass.
        """
        self._kept.pass_on_gradient()

    @torch.jit.unused
    def weights(self) -> list[Tensor]:
        """List the parameters, or what stands for them in nn.DataParallel's copies."""
        copies = [
            copy
            for module in self.modules()
            for copy in getattr(module, "_former_parameters", {}).values()
        ]
        return [*self.parameters(), *copies]

    def _replicate_for_data_parallel(self) -> Self:
        replica: Self = super()._replicate_for_data_parallel()  # type: ignore[no-untyped-call] # torch's
        replica._kept = TableKeeper()
        return replica

    def train(self, mode: bool = True) -> Self:
        """Switch the mode; the kept table is dropped."""
        self._kept.drop()
        return super().train(mode)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        self._kept.drop_all()
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call] # torch's
        return self
