"""Muon for the matrices of an embedding's network, Adam for all else."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from fairseq.optim import FairseqOptimizer, register_optimizer
from fairseq.optim.adam import FairseqAdam, FairseqAdamConfig
from torch import nn

from ..errors import AloneError
from .parameter_groups import GROUPS, NETWORK, read_groups, split
from .two_optimizers import TwoOptimizers

NAME = "adam_muon"

_OF_STATE = ("params", "lr")
"""What is no flag of Muon's in a group: the schedule knows the learning rate."""


@dataclass
class AdamMuonConfig(FairseqAdamConfig):
    """Adam's flags, and what Muon has of its own."""

    muon_for: str = field(
        default=NETWORK,
        metadata={
            "help": f"what Muon trains, some of {', '.join(GROUPS)}, separated by"
            " commas: the matrices of the network inside the embedding, trained tables"
            " with a row a word, and the matrices of the Transformer's layers"
        },
    )
    muon_lr_factor: float = field(
        default=1.0, metadata={"help": "Muon's learning rate, as a multiple of --lr"}
    )
    muon_momentum: float = field(default=0.95, metadata={"help": "Muon's momentum"})
    muon_weight_decay: float = field(
        default=0.0, metadata={"help": "Muon's weight decay; --weight-decay is Adam's"}
    )


@register_optimizer(NAME, dataclass=AdamMuonConfig)
class AdamMuon(FairseqOptimizer):
    """fairseq's Adam, and ``torch.optim.Muon`` for some matrices.

    Muon (Jordan et al., 2024) moves a matrix by its momentum with all singular values
    set to about 1, so that directions that only rare words use move as far as those of
    frequent ones. Its update is scaled by ``0.2 sqrt(max(rows, columns))`` to be as
    large as Adam's (Liu et al., 2025), so that both share ``--lr`` and its schedule.

    Args:
        cfg: Options.
        params: The trained parameters, marked by ``parameter_groups.mark``.

    Raises:
        AloneError: If torch has no Muon, there is nothing for it to train, or an
            option is out of range.
    """

    def __init__(self, cfg: AdamMuonConfig, params: Iterable[nn.Parameter]) -> None:
        """Share the parameters out; see the class."""
        _check(cfg)
        groups = read_groups(cfg.muon_for, "--muon-for")
        matrices, others = split(params, groups, NAME)
        super().__init__(cfg)
        self._adam = FairseqAdam(cfg, others)
        muon = torch.optim.Muon(
            matrices,
            lr=self.optimizer_config["lr"] * cfg.muon_lr_factor,
            momentum=cfg.muon_momentum,
            weight_decay=cfg.muon_weight_decay,
            adjust_lr_fn="match_rms_adamw",
        )
        self._muon_groups = len(muon.param_groups)
        self._optimizer = TwoOptimizers(self._adam.optimizer, muon, "muon")

    @property
    def optimizer_config(self) -> dict[str, Any]:
        """Adam's options, by the names that torch gives them."""
        config: dict[str, Any] = self._adam.optimizer_config
        return config

    def set_lr(self, lr: float) -> None:
        """Set the learning rate of both.

        Args:
            lr: Adam's; Muon's is ``--muon-lr-factor`` times that.
        """
        super().set_lr(lr)
        for group in self.param_groups[-self._muon_groups :]:
            group["lr"] = lr * self.cfg.muon_lr_factor

    def load_state_dict(
        self,
        state_dict: dict[str, Any],
        optimizer_overrides: dict[str, Any] | None = None,
    ) -> None:
        """Take a state; Muon's flags keep the values that they have now.

        torch would put those of the checkpoint in their place, without a word.

        Args:
            state_dict: A state of this optimiser.
            optimizer_overrides: Options of all parameters, which go before the flags.

        Raises:
            AloneError: If the state is of another optimiser, or of other matrices.
        """
        muon = slice(-self._muon_groups, None)
        given = [
            {name: value for name, value in group.items() if name not in _OF_STATE}
            for group in self.param_groups[muon]
        ]
        super().load_state_dict(state_dict)
        for group, options in zip(self.param_groups[muon], given, strict=True):
            group.update(options)
        for group in self.param_groups:
            group.update(optimizer_overrides or {})


def _check(cfg: AdamMuonConfig) -> None:
    if not hasattr(torch.optim, "Muon"):
        raise AloneError(
            f"--optimizer {NAME} needs torch 2.9 or newer, this is {torch.__version__}:"
            " install that, or choose --optimizer adam"
        )
    if not 0.0 < cfg.muon_lr_factor < float("inf"):
        raise AloneError(
            f"--muon-lr-factor must be above 0 and finite, not {cfg.muon_lr_factor}"
        )
    if not 0.0 <= cfg.muon_momentum < 1.0:
        raise AloneError(
            f"--muon-momentum must lie in [0, 1), it is {cfg.muon_momentum}"
        )
    if not 0.0 <= cfg.muon_weight_decay < float("inf"):
        raise AloneError(
            "--muon-weight-decay must be finite and not negative, it is"
            f" {cfg.muon_weight_decay}"
        )
