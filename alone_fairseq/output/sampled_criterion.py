"""Label-smoothed cross-entropy over a sample of the words, for training."""

import logging
from dataclasses import dataclass, field
from typing import Any

import torch
from fairseq.criterions import register_criterion
from fairseq.distributed import utils as distributed_utils
from omegaconf import II
from torch import Tensor

from .chunked_criterion import (
    ChunkedCrossEntropyConfig,
    ChunkedCrossEntropyCriterion,
    in_type_of_products,
)
from .sampled_cross_entropy import sampled_cross_entropy
from .sampled_words import FLAG, draw_negatives, sample_size

logger = logging.getLogger(__name__)

NAME = "sampled_label_smoothed_cross_entropy"
_STREAM = 2  # beside those of the random codes
_LEAST_DRAWN = 8
"""With log-Q at least this part of the sample is drawn: of fewer words, each would
stand for so many that the loss would be mostly noise; of none, nothing stands for the
rest."""


@dataclass
class SampledCrossEntropyConfig(ChunkedCrossEntropyConfig):
    """Flags of fairseq's criterion, and those of the sample."""

    sampled_words: str = field(
        default="25%",
        metadata={
            "help": "size of the sample: a share of the target vocabulary, or a number"
            " of words; the different target words of a batch are always in it, and"
            " without --sampled-log-q are all of it where they are more"
        },
    )
    sampled_log_q: bool = field(
        default=False,
        metadata={
            "help": "let each drawn word stand for all that could have been drawn in"
            " its place, so that the sum over the sample is on average that over the"
            " vocabulary, for which at least an eighth of the sample is drawn; without,"
            " as in the paper, it is that of the sample"
        },
    )
    sampled_together: bool = field(
        default=False,
        metadata={
            "help": "let the processes of a training have one sample, with the target"
            " words of all their batches in it; without, each draws its own"
        },
    )
    seed: int = II("common.seed")


@register_criterion(NAME, dataclass=SampledCrossEntropyConfig)
class SampledCrossEntropyCriterion(ChunkedCrossEntropyCriterion):
    """Cross-entropy that trains with the words of a batch and some others only.

    All different target words of a batch and uniformly drawn others, no word twice
    (Pappas et al., 2018); see :func:`~.sampled_cross_entropy.sampled_cross_entropy`.
    Validation has all words, in chunks. A sample follows from the seed, the number of
    updates, and the place of the batch in its update.
    """

    name = NAME

    def __init__(
        self,
        task: Any,
        sentence_avg: bool,
        label_smoothing: float,
        ignore_prefix_size: int = 0,
        report_accuracy: bool = False,
        sampled_words: str = "25%",
        sampled_log_q: bool = False,
        sampled_together: bool = False,
        seed: int = 1,
    ) -> None:
        """Read the size of the sample.

        Raises:
            AloneError: If it is out of range.
        """
        super().__init__(
            *(task, sentence_avg, label_smoothing, ignore_prefix_size, report_accuracy)
        )
        self.vocabulary = len(task.target_dictionary)
        self.sample_size = sample_size(sampled_words, self.vocabulary)
        self.log_q, self.together, self.seed = sampled_log_q, sampled_together, seed
        self._update, self._batches = -1, 0
        self._has_warned = False

    def forward(
        self, model: Any, sample: dict[str, Any], reduce: bool = True
    ) -> tuple[Tensor, Any, dict[str, Any]]:
        """Compute the loss of a batch; see the base class.

        In training the embeddings build rows only, no table.
        """
        if not self._samples(model, reduce):
            return super().forward(model, sample, reduce)
        self.refuse(model)
        with model.rows_only():
            return super().forward(model, sample, reduce)

    def _samples(self, model: Any, reduce: bool) -> bool:
        return bool(model.training and reduce)

    def compute_loss(
        self,
        model: Any,
        net_output: tuple[Tensor, Any],
        sample: dict[str, Any],
        reduce: bool = True,
    ) -> tuple[Tensor, Tensor]:
        """Compute the loss from the decoder's states; see the base class."""
        if not self._samples(model, reduce):
            return super().compute_loss(model, net_output, sample, reduce)
        hidden, target = self.kept_tokens(model, net_output, sample)
        words, places, stands_for = self.draw(target, model.num_updates)
        factors = in_type_of_products(*model.softmax_factors_of(hidden, words))
        bias = model.softmax_bias()
        return sampled_cross_entropy(
            *(*factors, places, self.eps, stands_for),
            bias=None if bias is None else bias[words],
        )

    def draw(self, target: Tensor, update: int) -> tuple[Tensor, Tensor, Tensor]:
        """Draw the sample of a batch.

        Args:
            target: The right words of its tokens, ``(N,)``.
            update: Number of updates that are done.

        Returns:
            The K words of the sample; the places of ``target`` among them, ``(N,)``;
            and how many words each of them stands for, ``(K,)``.
        """
        self._batches = self._batches + 1 if update == self._update else 0
        self._update = update
        distributed = torch.distributed.is_initialized() and not self.together
        rank = distributed_utils.get_data_parallel_rank() if distributed else 0
        positives = target.unique()
        if self.together and torch.distributed.is_initialized():
            positives = words_of_all(positives)
        seed = [self.seed % 2**32, _STREAM, update, self._batches, rank]
        size = self.sample_size
        if self.log_q:
            size = max(size, len(positives) + -(-size // _LEAST_DRAWN))
        drawn = draw_negatives(positives.cpu().numpy(), size, self.vocabulary, seed)
        negatives = torch.from_numpy(drawn).to(target.device)
        self._warn_without(len(positives), len(negatives))
        stands_for = torch.ones(len(positives) + len(negatives), device=target.device)
        if self.log_q and len(negatives):
            rest = self.vocabulary - len(positives)
            stands_for[len(positives) :] = rest / len(negatives)
        words = torch.cat([positives, negatives])
        return words, torch.searchsorted(positives, target), stands_for

    def _warn_without(self, positives: int, negatives: int) -> None:
        if negatives or self._has_warned or positives == self.vocabulary:
            return
        self._has_warned = True
        logger.warning(
            f"a batch has {positives:,} different target words, and {FLAG} makes room"
            f" for {self.sample_size:,}: nothing is drawn beside them; raise it, or"
            " lower --max-tokens"
        )


def words_of_all(words: Tensor) -> Tensor:
    """Gather the words of all processes.

    Args:
        words: Those of this process, ``(N,)``.

    Returns:
        The different words of all of them, in ascending order.
    """
    group = distributed_utils.get_data_parallel_group()
    most = words.new_tensor([len(words)])
    torch.distributed.all_reduce(most, torch.distributed.ReduceOp.MAX, group=group)
    padded = words.new_full((int(most),), -1)
    padded[: len(words)] = words
    gathered = distributed_utils.all_gather(padded, group)
    found: Tensor = torch.cat(list(gathered)).unique()
    return found[found >= 0]
