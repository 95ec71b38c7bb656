"""SOAP for the matrices of an embedding's network, Adam for all else: a comparison."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from fairseq.optim import register_optimizer
from fairseq.optim.adam import FairseqAdamConfig
from torch import nn
from torch.optim import Optimizer

from ..errors import AloneError
from .adam_and_another import AdamAndAnother
from .parameter_groups import GROUPS, NETWORK, read_groups


@dataclass
class AdamSoapConfig(FairseqAdamConfig):
    """Adam's flags, and what SOAP has of its own."""

    soap_for: str = field(
        default=NETWORK,
        metadata={
            "help": f"what SOAP trains, some of {', '.join(GROUPS)}, separated by"
            " commas, as in --muon-for"
        },
    )
    soap_lr_factor: float = field(
        default=1.0, metadata={"help": "SOAP's learning rate, as a multiple of --lr"}
    )
    soap_interval: int = field(
        default=10,
        metadata={"help": "updates after which SOAP's bases are computed again"},
    )


@register_optimizer("adam_soap", dataclass=AdamSoapConfig)
class AdamSoap(AdamAndAnother):
    """fairseq's Adam, and SOAP for some matrices.

    SOAP (Vyas et al., 2024) is Adam in the eigenbases of Shampoo's two matrices of
    second moments, of rows and of columns. It is ``pytorch_optimizer``'s, with both
    decays at .95, as published, and without weight decay. A matrix of ``(m, n)`` values
    takes ``2 (m n + m^2 + n^2)`` of state; a side above 10,000 has no basis. The first
    update changes nothing but these bases.

    Args:
        cfg: Options.
        params: The trained parameters, marked by ``parameter_groups.mark``.

    Raises:
        AloneError: If there is nothing for SOAP to train, an option is out of range,
            or ``pytorch_optimizer`` is not installed.
    """

    key = "soap"

    def __init__(self, cfg: AdamSoapConfig, params: Iterable[nn.Parameter]) -> None:
        """Check the options, and share the parameters out."""
        if cfg.soap_interval < 1:
            raise AloneError(
                f"--soap-interval must be at least 1, not {cfg.soap_interval}"
            )
        groups = read_groups(cfg.soap_for, "--soap-for")
        super().__init__(cfg, params, groups, cfg.soap_lr_factor)

    def make(self, matrices: list[nn.Parameter], lr: float) -> Optimizer:
        """Make the library's SOAP."""
        try:
            # Here, since it is no dependency.
            from pytorch_optimizer import SOAP
        except ImportError as error:
            raise AloneError(
                "--optimizer adam_soap needs pytorch_optimizer: pip install"
                " pytorch_optimizer"
            ) from error
        made: Optimizer = SOAP(
            matrices,
            lr=lr,
            weight_decay=0.0,
            precondition_frequency=self.cfg.soap_interval,
        )
        return made

    def load_state_dict(
        self,
        state_dict: dict[str, Any],
        optimizer_overrides: dict[str, Any] | None = None,
    ) -> None:
        """Take a state; see the base class."""
        super().load_state_dict(state_dict, optimizer_overrides)
        for state in self._another.state.values():  # where the library reads it
            state["precondition_frequency"] = self.cfg.soap_interval
