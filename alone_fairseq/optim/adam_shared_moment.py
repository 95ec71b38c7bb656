"""Adam whose second moment is one number for some matrices: a diagnosis, no cure.

A look-up table learns fast because Adam gives each of its entries a rate of its own.
With one second moment for the whole table it loses that, and learns as slowly as a
method whose words share their values.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from fairseq.optim import register_optimizer
from fairseq.optim.adam import FairseqAdamConfig
from torch import nn
from torch.optim import Optimizer

from .adam_and_another import AdamAndAnother
from .parameter_groups import GROUPS, TABLE, read_groups


@dataclass
class AdamSharedMomentConfig(FairseqAdamConfig):
    """Adam's flags, and what it is changed for."""

    shared_moment_for: str = field(
        default=TABLE,
        metadata={
            "help": "matrices that have one second moment each, some of"
            f" {', '.join(GROUPS)}, separated by commas"
        },
    )


@register_optimizer("adam_shared_moment", dataclass=AdamSharedMomentConfig)
class AdamSharedMoment(AdamAndAnother):
    """fairseq's Adam, with one second moment a matrix for some matrices.

    Args:
        cfg: Options.
        params: The trained parameters, marked by ``parameter_groups.mark``.

    Raises:
        AloneError: If there is no such matrix.
    """

    key = "shared_moment"

    def __init__(
        self, cfg: AdamSharedMomentConfig, params: Iterable[nn.Parameter]
    ) -> None:
        """Share the parameters out."""
        groups = read_groups(cfg.shared_moment_for, "--shared-moment-for")
        super().__init__(cfg, params, groups)

    def make(self, matrices: list[nn.Parameter], lr: float) -> Optimizer:
        """Make an Adam with Adam's options, of which ``lr`` is one."""
        del lr
        return SharedMomentAdam(matrices, **self.optimizer_config)


class SharedMomentAdam(Optimizer):
    """Adam (Kingma and Ba, 2015) with the mean of squares over a whole matrix.

    Args:
        params: Parameters of any shape.
        lr: Learning rate.
        betas: Decay of the first and of the second moment.
        eps: Added to the root of the second moment.
        weight_decay: Decoupled weight decay, as in fairseq's Adam.
    """

    def __init__(
        self,
        params: Iterable[nn.Parameter],
        lr: float,
        betas: tuple[float, float],
        eps: float,
        weight_decay: float,
    ) -> None:
        """Start without moments."""
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, options)

    @torch.no_grad()
    def step(  # type: ignore[override] # torch declares two signatures for it
        self, closure: Callable[[], float] | None = None
    ) -> None:
        """Make one step; the closure is not used."""
        del closure
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._update(parameter, group)

    def _update(self, parameter: nn.Parameter, group: dict[str, Any]) -> None:
        state, gradient = self.state[parameter], parameter.grad
        assert gradient is not None
        if not state:
            state["step"] = 0
            state["first"] = torch.zeros_like(parameter)
            state["second"] = torch.zeros((), device=parameter.device)
        state["step"] += 1
        beta1, beta2 = group["betas"]
        state["first"].lerp_(gradient, 1 - beta1)
        state["second"].lerp_(gradient.square().mean(), 1 - beta2)
        corrections = 1 - beta1 ** state["step"], 1 - beta2 ** state["step"]
        root = state["second"].sqrt().add_(group["eps"])
        parameter.mul_(1 - group["lr"] * group["weight_decay"])
        size = group["lr"] * math.sqrt(corrections[1]) / corrections[0]
        parameter.sub_(state["first"] * (size / root))
