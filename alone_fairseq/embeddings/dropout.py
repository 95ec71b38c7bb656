"""Dropout that fairseq's ``--retain-dropout`` can leave on in generation."""

from collections.abc import Sequence
from typing import Any

import torch.nn.functional as F
from torch import Tensor, nn


class Dropout(nn.Module):
    """Dropout with the interface of fairseq's, without fairseq.

    Args:
        p: Probability of a zero, in ``[0, 1)``.
        module_name: Name by which ``--retain-dropout-modules`` means it: that of the
            class it belongs to.

    Attributes:
        apply_during_inference: Whether it acts in evaluation mode too.
    """

    def __init__(self, p: float, module_name: str) -> None:
        """Start as dropout that acts in training only."""
        super().__init__()
        self.p = p
        self.module_name = module_name
        self.apply_during_inference = False

    def acts(self) -> bool:
        """Tell whether it changes anything now."""
        return self.p > 0.0 and (self.training or self.apply_during_inference)

    def forward(self, values: Tensor) -> Tensor:
        """Set some values to zero and scale the others, where it acts."""
        return F.dropout(values, self.p, training=True) if self.acts() else values

    def make_generation_fast_(
        self,
        name: str = "",
        retain_dropout: bool = False,
        retain_dropout_modules: Sequence[str] | None = None,
        **_: Any,
    ) -> None:
        """Learn what ``fairseq-generate`` was told; fairseq calls this.

        Args:
            name: Not used; fairseq gives it.
            retain_dropout: Whether dropout acts in generation ...
            retain_dropout_modules: ... of these classes only; ``None`` means all.
        """
        del name
        named = retain_dropout_modules is None or (
            self.module_name in retain_dropout_modules
        )
        if retain_dropout and named:
            self.apply_during_inference = True
