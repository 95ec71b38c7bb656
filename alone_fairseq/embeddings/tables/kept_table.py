"""A module that keeps its table as long as a :class:`TableKeeper` may."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Self

import torch
from torch import Tensor, nn

from .keeper import TableKeeper


class KeptTable(nn.Module):
    """The part of an embedding that has to do with how long its table lives."""

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
    def pass_on_gradient(self) -> None:
        """Add to the parameters' gradients what an update's shared table has.

        Raises:
            AloneError: If the gradients were changed since, by other than a backward
                pass.
        """
        self._kept.pass_on_gradient()

    def train(self, mode: bool = True) -> Self:
        """Switch the mode; the kept table is dropped."""
        self._kept.drop()
        return super().train(mode)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        self._kept.drop_all()
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call] # torch's
        return self
