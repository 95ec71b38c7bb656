"""Muon for the matrices of an embedding's network, Adam for all else."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import torch
from fairseq.optim import register_optimizer
from fairseq.optim.adam import FairseqAdamConfig
from torch import nn

from ..errors import AloneError
from .adam_and_another import AdamAndAnother
from .parameter_groups import GROUPS, NETWORK, read_groups


@dataclass
class AdamMuonConfig(FairseqAdamConfig):
    """Adam's flags, and what Muon has of its own."""

    muon_for: str = field(
        default=NETWORK,
        metadata={
            "help": f"what Muon trains, some of {', '.join(GROUPS)}, separated by"
            " commas: the matrices of the network inside the embedding or the output"
            " layer, trained tables with a row a word, a character or a bucket, and the"
            " matrices of the Transformer's layers"
        },
    )
    muon_lr_factor: float = field(
        default=1.0, metadata={"help": "Muon's learning rate, as a multiple of --lr"}
    )
    muon_momentum: float = field(default=0.95, metadata={"help": "Muon's momentum"})
    muon_weight_decay: float = field(
        default=0.0, metadata={"help": "Muon's weight decay; --weight-decay is Adam's"}
    )


@register_optimizer("adam_muon", dataclass=AdamMuonConfig)
class AdamMuon(AdamAndAnother):
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

    key = "muon"
    own_options = ("momentum", "weight_decay")

    def __init__(self, cfg: AdamMuonConfig, params: Iterable[nn.Parameter]) -> None:
        """Check the options, and share the parameters out."""
        _check(cfg)
        groups = read_groups(cfg.muon_for, "--muon-for")
        super().__init__(cfg, params, groups, cfg.muon_lr_factor)

    def make(self, matrices: list[nn.Parameter], lr: float) -> torch.optim.Optimizer:
        """Make torch's Muon."""
        return torch.optim.Muon(
            matrices,
            lr=lr,
            momentum=self.cfg.muon_momentum,
            weight_decay=self.cfg.muon_weight_decay,
            adjust_lr_fn="match_rms_adamw",
        )


def _check(cfg: AdamMuonConfig) -> None:
    if not hasattr(torch.optim, "Muon"):
        raise AloneError(
            "--optimizer adam_muon needs torch 2.9 or newer, this is"
            f" {torch.__version__}: install that, or choose --optimizer adam"
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
