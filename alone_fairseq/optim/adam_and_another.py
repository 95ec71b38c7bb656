"""What the optimisers here share: Adam, and another one for some matrices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

import torch
from fairseq.optim import FairseqOptimizer
from fairseq.optim.adam import Adam, FairseqAdam, FairseqAdamConfig
from torch import nn
from torch.optim import Optimizer

from ..errors import AloneError
from .parameter_groups import split
from .two_optimizers import TwoOptimizers


class AdamAndAnother(FairseqOptimizer):
    """fairseq's Adam, and another optimiser for some matrices.

    Args:
        cfg: Options.
        params: The trained parameters, marked by ``parameter_groups.mark``.
        groups: Of the parameters that are not Adam's.
        lr_factor: The other one's learning rate, as a multiple of Adam's.

    Attributes:
        key: Name of the other one; fairseq's ``--optimizer`` is ``adam_`` and this.
        own_options: Those of its options that flags of its own set.

    Raises:
        AloneError: If there is no parameter of a group, or the factor is out of range.
    """

    key: ClassVar[str]
    own_options: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        cfg: FairseqAdamConfig,
        params: Iterable[nn.Parameter],
        groups: tuple[str, ...],
        lr_factor: float = 1.0,
    ) -> None:
        """Share the parameters out; see the class."""
        if not 0.0 < lr_factor < float("inf"):
            raise AloneError(
                f"--{self.key}-lr-factor must be above 0 and finite, not {lr_factor}"
            )
        self._every = list(params)
        matrices, others = split(self._every, groups, f"adam_{self.key}")
        super().__init__(cfg)
        self._adam = FairseqAdam(cfg, others)
        self._lr_factor = lr_factor
        self._another = self.make(matrices, self.optimizer_config["lr"] * lr_factor)
        adam = self._adam.optimizer
        # fairseq's own loops over the parameters, a dozen kernels each; where Apex is
        # installed it takes a fused one itself, unless it is told not to.
        plain = type(adam) is Adam and not cfg.use_old_adam
        if plain and all(parameter.is_cuda for parameter in others):
            adam = fused_adam(others, self.optimizer_config)
        self._optimizer = TwoOptimizers(adam, self._another, self.key)

    def make(self, matrices: list[nn.Parameter], lr: float) -> Optimizer:
        """Make the other optimiser; subclasses say which."""
        raise NotImplementedError

    @property
    def params(self) -> Iterator[nn.Parameter]:
        """Give all parameters in the model's order, in which fairseq names them."""
        return iter(self._every)

    @property
    def optimizer_config(self) -> dict[str, Any]:
        """Adam's options, by the names that torch gives them."""
        config: dict[str, Any] = self._adam.optimizer_config
        return config

    def set_lr(self, lr: float) -> None:
        """Set the learning rate of both.

        Args:
            lr: Adam's.
        """
        super().set_lr(lr)
        for group in self._another.param_groups:
            group["lr"] = lr * self._lr_factor

    def load_state_dict(
        self,
        state_dict: dict[str, Any],
        optimizer_overrides: dict[str, Any] | None = None,
    ) -> None:
        """Take a state; the other one's flags keep the values that they have now.

        torch would put those of the checkpoint in their place, without a word.

        Args:
            state_dict: A state of this optimiser.
            optimizer_overrides: Options of all parameters, which go before the flags.

        Raises:
            AloneError: If the state is of another optimiser, or of other matrices.
        """
        given = [
            {name: group[name] for name in self.own_options}
            for group in self._another.param_groups
        ]
        super().load_state_dict(state_dict)
        for group, options in zip(self._another.param_groups, given, strict=True):
            group.update(options)
        for group in self.param_groups:
            group.update(optimizer_overrides or {})
        # Loading makes new groups, and not every schedule sets their rates anew.
        self.set_lr(self.get_lr())


def fused_adam(
    parameters: list[nn.Parameter], options: dict[str, Any]
) -> torch.optim.AdamW:
    """Make torch's Adam that updates all parameters in a few kernels.

    It steps as fairseq's does, whose weight decay is decoupled too, but for the place
    of ``eps``, which it adds after the correction of the second moment.

    Args:
        parameters: What it trains.
        options: fairseq's: ``lr``, ``betas``, ``eps`` and ``weight_decay``.

    Returns:
        The optimiser; it and fairseq's take each other's states.
    """
    return torch.optim.AdamW(parameters, **options, fused=True)
