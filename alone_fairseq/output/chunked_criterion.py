"""fairseq's label-smoothed cross-entropy, computed in chunks."""

from dataclasses import dataclass
from typing import Any, Self

import torch
from fairseq.criterions import register_criterion
from fairseq.criterions.label_smoothed_cross_entropy import (
    LabelSmoothedCrossEntropyCriterion,
    LabelSmoothedCrossEntropyCriterionConfig,
)
from omegaconf import II
from torch import Tensor

from ..errors import AloneError
from .chunked_cross_entropy import chunked_cross_entropy, shares_of_words
from .sliced_losses import sliced_losses

NAME = "chunked_label_smoothed_cross_entropy"


@dataclass
class ChunkedCrossEntropyConfig(LabelSmoothedCrossEntropyCriterionConfig):
    """Flags of fairseq's criterion, and one of fairseq's that has to be refused."""

    find_unused_parameters: bool = II("distributed_training.find_unused_parameters")


@register_criterion(NAME, dataclass=ChunkedCrossEntropyConfig)
class ChunkedCrossEntropyCriterion(LabelSmoothedCrossEntropyCriterion):
    """fairseq's label-smoothed cross-entropy in less memory, for this plugin's models.

    It gives the same values up to rounding and has the same flags, but for
    ``--report-accuracy``. In fp16 it computes the logits twice.
    """

    name = NAME

    @classmethod
    def build_criterion(cls, cfg: Any, task: Any) -> Self:
        """Build it from the command line.

        Raises:
            AloneError: If another flag cannot work with it, or a value is out of range.
        """
        if cfg.report_accuracy:
            raise AloneError(
                f"--report-accuracy needs all logits, which --criterion {cls.name}"
                " never holds: remove one of them"
            )
        if not 0 <= cfg.label_smoothing <= 1:
            raise AloneError(
                f"--label-smoothing must lie in [0, 1], not {cfg.label_smoothing}"
            )
        if cfg.find_unused_parameters:
            raise AloneError(
                "--find-unused-parameters looks inside the model only, and --criterion"
                f" {cls.name} uses the softmax matrix outside: remove one of them"
            )
        built: Self = super().build_criterion(cfg, task)
        return built

    def forward(
        self, model: Any, sample: dict[str, Any], reduce: bool = True
    ) -> tuple[Tensor, Any, dict[str, Any]]:
        """Compute the loss of a batch, as fairseq's criterion does.

        Args:
            model: A :class:`CompactTransformerModel`, or one that distributes it.
            sample: fairseq's batch of B sentences with up to T target tokens.
            reduce: Whether to sum. If not, all logits are held.

        Returns:
            Loss, scalar or ``(B * T, 1)``; number of tokens, or of sentences, that its
            gradient is to be divided by; and numbers for the log.

        Raises:
            AloneError: If the model is not of this plugin.
        """
        self.refuse(model)
        states_only = {**sample["net_input"], "features_only": True}
        with model.one_table():  # of the input, and of the softmax after it
            result: tuple[Tensor, Any, dict[str, Any]] = super().forward(
                model, {**sample, "net_input": states_only}, reduce
            )
        return result

    def refuse(self, model: Any) -> None:
        """Refuse a model that is not of this plugin.

        Raises:
            AloneError: In one line.
        """
        if not hasattr(model, "softmax_factors"):
            raise AloneError(
                f"--criterion {self.name} works with the models of this plugin: choose"
                " label_smoothed_cross_entropy"
            )

    def compute_loss(
        self,
        model: Any,
        net_output: tuple[Tensor, Any],
        sample: dict[str, Any],
        reduce: bool = True,
    ) -> tuple[Tensor, Tensor]:
        """Compute the loss from the decoder's states.

        Args:
            model: As in :meth:`forward`.
            net_output: States, ``(B, T, D)``, and what else the model returns.
            sample: As in :meth:`forward`.
            reduce: As in :meth:`forward`.

        Returns:
            The loss and its part without label smoothing, each a scalar or
            ``(B * T, 1)``.
        """
        hidden, rest = net_output
        if not reduce:
            logits = model.output_layer()(hidden)
            every: tuple[Tensor, Tensor] = super().compute_loss(
                model, (logits, rest), sample, reduce
            )
            return every
        states, target = self.kept_tokens(model, net_output, sample)
        layer = model.output_layer()
        if layer.is_sliced():
            slices = layer.slices(states.device)
            nll, all_words = sliced_losses(layer, states, target, slices)
            right, other = shares_of_words(self.eps, layer.vocabulary)
            return (right * nll + other * all_words).sum(), nll.sum()
        factors = in_type_of_products(*model.softmax_factors(states))
        return chunked_cross_entropy(
            *factors, target, self.eps, bias=model.softmax_bias()
        )

    def kept_tokens(
        self, model: Any, net_output: tuple[Tensor, Any], sample: dict[str, Any]
    ) -> tuple[Tensor, Tensor]:
        """Pick the tokens that count: no padding, no prefix that is ignored.

        Returns:
            Their states, ``(N, D)``, and right words, ``(N,)``.
        """
        target = model.get_targets(sample, net_output)
        kept = target.ne(self.padding_idx)
        kept[:, : self.ignore_prefix_size] = False
        return net_output[0][kept], target[kept]


def in_type_of_products(one: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    """Cast the factors of a product as autocast does where it knows of the product."""
    device = one.device.type
    if not torch.is_autocast_enabled(device):
        return one, other
    dtype = torch.get_autocast_dtype(device)
    return one.to(dtype), other.to(dtype)
