"""Two of torch's optimisers that fairseq sees as one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.optim import Optimizer

from ..errors import AloneError


class TwoOptimizers(Optimizer):
    """Adam for most parameters, and another optimiser for some of them.

    fairseq clips, scales and clears gradients by way of ``param_groups``, which are
    those of both.

    Args:
        first: Optimiser of most parameters; its groups come first, and fairseq reads
            the learning rate from them.
        second: Optimiser of the others.
        name: Name of the pair in a checkpoint.
    """

    def __init__(self, first: Optimizer, second: Optimizer, name: str) -> None:
        """Take the groups of both; see the class."""
        self.parts = {"adam": first, name: second}
        super().__init__([*first.param_groups, *second.param_groups], {})

    def step(  # type: ignore[override] # torch declares two signatures for it
        self, closure: Callable[[], float] | None = None
    ) -> float | None:
        """Let both make their step.

        Args:
            closure: Computes the loss again, where a caller wants that.

        Returns:
            What the closure returned.
        """
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for part in self.parts.values():
            part.step()
        return loss

    def state_dict(self) -> dict[str, Any]:
        """Give the states of both, by name, and the shapes of what they train."""
        states = {name: part.state_dict() for name, part in self.parts.items()}
        return {**states, "shapes": self._shapes()}

    def _shapes(self) -> dict[str, list[list[int]]]:
        return {
            name: [list(p.shape) for g in part.param_groups for p in g["params"]]
            for name, part in self.parts.items()
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take the states of both.

        Args:
            state_dict: What :meth:`state_dict` gave.

        Raises:
            AloneError: If it is of another optimiser, or of other matrices.
        """
        if not self.parts.keys() <= state_dict.keys():
            raise AloneError(
                "the checkpoint was trained with another --optimizer: name that one, or"
                " add --reset-optimizer, which counts the updates from 0 again"
            )
        if state_dict.get("shapes") != self._shapes():
            raise AloneError(
                "the checkpoint's optimizer trained other matrices: give the"
                " --muon-for, --soap-for or --shared-moment-for of the training, or add"
                " --reset-optimizer, which counts the updates from 0 again"
            )
        for name, part in self.parts.items():
            part.load_state_dict(state_dict[name])
        # Loading makes new groups; the learning rate has to reach those.
        self.param_groups = [
            group for part in self.parts.values() for group in part.param_groups
        ]
