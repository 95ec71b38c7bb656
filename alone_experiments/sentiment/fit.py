"""Training a classifier: updates, the validation of each epoch, the best state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from numpy.random import RandomState
from torch import Tensor

from alone_experiments.mistakes import Mistake
from alone_experiments.sentiment.classifier import Classifier, batch_of
from alone_experiments.sentiment.reviews import Encoded, Rows

REVIEWS_AT_A_TIME = 256
POOL = 50
"""Batches whose reviews are ordered by length together: enough that hardly a step is
spent on padding, and far less than an epoch of the paper's."""
_VALIDATION_STREAM = 2**32 - 1  # no training has so many epochs
LARGEST_LR = 10.0
"""Far above any that learns."""
SPLIT_SEED = 1
"""Of the reviews kept back, and of those that are taken where not all are: the same for
all runs, so that they can be compared."""


@dataclass(frozen=True)
class Schedule:
    """How a classifier is trained; the paper's, and ours where it does not say.

    Attributes:
        epochs: Passes over the reviews.
        lr: Learning rate of Adam.
        hidden: Units of the LSTM.
        longest: Words of a review, from its beginning.
        batch_size: Reviews of an update; not in the paper.
        hold_out: Share of the training reviews that are kept back for validation; the
            paper has "a small set".
        seed: Of initial weights and of the order of the reviews.
    """

    epochs: int = 15
    lr: float = 1e-4
    hidden: int = 150
    longest: int = 400
    batch_size: int = 32
    hold_out: float = 0.05
    seed: int = 1

    def check(self) -> None:
        """Refuse values that cannot work.

        Raises:
            Mistake: In one line that names the flag.
        """
        if not 0 < self.lr <= LARGEST_LR:
            raise Mistake(f"--lr must be above 0 and at most {LARGEST_LR}: {self.lr}")
        if not 0 < self.hold_out < 1:
            raise Mistake(f"--hold-out must be above 0 and below 1: {self.hold_out}")


class Epoch(NamedTuple):
    """What an epoch came to.

    Attributes:
        train: Mean loss of its batches, as they were trained on.
        valid: Mean loss of the reviews kept back; by it the best state is chosen.
        accuracy: Share of these that are told rightly.
    """

    train: float
    valid: float
    accuracy: float


def split(reviews: Encoded, share: float) -> tuple[Encoded, Encoded]:
    """Part the reviews: those to learn from, and a random share kept back.

    Raises:
        Mistake: If one of them would be empty.
    """
    count = len(reviews.rows)
    order = RandomState([SPLIT_SEED, _VALIDATION_STREAM]).permutation(count)
    kept_back = int(share * count)
    if not 0 < kept_back < count:
        raise Mistake(f"--hold-out {share} of {count} reviews leaves none on one side")
    return reviews.choose(order[kept_back:]), reviews.choose(order[:kept_back])


def by_length(rows: Sequence[Rows]) -> Rows:
    """Order reviews by their lengths, so that batches of them are padded by little."""
    return np.argsort([len(own) for own in rows], kind="stable")


def in_batches(rows: Sequence[Rows], size: int, random: RandomState) -> list[Rows]:
    """Share the reviews out to the batches of an epoch.

    Batches are random, but each of reviews of like length: what comes together is
    ordered by length within random pools of :data:`POOL` batches.

    Args:
        rows: Rows of each review's words, ``N`` arrays.
        size: Reviews of a batch.
        random: Decides.

    Returns:
        Numbers of reviews, each once: ⌈N / size⌉ batches, of which one may be smaller.
    """
    shuffled = random.permutation(len(rows))
    batches = []
    for first in range(0, len(rows), POOL * size):
        pool = shuffled[first : first + POOL * size]
        pool = pool[by_length([rows[number] for number in pool])]
        batches += [pool[start : start + size] for start in range(0, len(pool), size)]
    return [batches[number] for number in random.permutation(len(batches))]


class Fit:
    """A classifier on its way; it can be carried on.

    The order of an epoch follows from its number and the seed, so that a training that
    is carried on does what an uninterrupted one would.

    Args:
        table: Word vectors, ``(V + 1, D)``; they stay as they are.
        train: Reviews to learn from.
        valid: Reviews by which the best state is chosen.
        schedule: How to learn.
        device: Where to compute.

    Attributes:
        epochs: What each epoch came to.
        update: Updates done in the present epoch.
    """

    def __init__(
        self,
        table: Tensor,
        train: Encoded,
        valid: Encoded,
        schedule: Schedule,
        device: str = "cpu",
    ) -> None:
        """Draw the weights and make the optimiser."""
        schedule.check()
        self.schedule, self.device = schedule, torch.device(device)
        self.table = table.to(self.device)
        self.train, self.valid = train, valid
        model = Classifier(table.size(1), schedule.hidden, schedule.seed)
        self.model = model.to(self.device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=schedule.lr)
        self.epochs: list[Epoch] = []
        self.update, self.total = 0, 0.0
        self.best: dict[str, Tensor] = {}

    @property
    def epoch_updates(self) -> int:
        """Updates of an epoch; its last batch may be smaller."""
        return -(-len(self.train.rows) // self.schedule.batch_size)

    @property
    def updates(self) -> int:
        """Updates that are done."""
        return len(self.epochs) * self.epoch_updates + self.update

    @property
    def finished(self) -> bool:
        """Whether all epochs are done."""
        return len(self.epochs) == self.schedule.epochs

    def run(self, updates: int) -> None:
        """Do some updates, but none beyond the end of the epoch, which is validated.

        Raises:
            Mistake: If a loss is no longer finite.
        """
        schedule = self.schedule
        random = RandomState([schedule.seed, len(self.epochs)])
        batches = in_batches(self.train.rows, schedule.batch_size, random)
        end = min(self.update + updates, self.epoch_updates)
        for which in batches[self.update : end]:
            words, lengths, labels = batch_of(self.train.choose(which), self.device)
            loss = F.cross_entropy(self.model(words, lengths, self.table), labels)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.total += float(loss.detach())
        self.update = end
        if not np.isfinite(self.total):
            raise Mistake(f"the loss is not finite; lower --lr ({schedule.lr})")
        if end == self.epoch_updates:
            self._end_epoch()

    def _end_epoch(self) -> None:
        loss, right = self.evaluate(self.valid)
        known = [epoch.valid for epoch in self.epochs]
        if loss < min(known, default=float("inf")):
            state = self.model.state_dict()
            self.best = {name: values.clone() for name, values in state.items()}
        train = self.total / self.epoch_updates
        self.epochs.append(Epoch(train, loss, float(right.mean())))
        self.update, self.total = 0, 0.0

    @property
    def best_epoch(self) -> int:
        """The epoch with the smallest validation loss, counted from 1."""
        losses = [epoch.valid for epoch in self.epochs]
        return losses.index(min(losses)) + 1

    def take_best(self) -> None:
        """Go back to the best state."""
        self.model.load_state_dict(self.best)

    @torch.no_grad()
    def evaluate(self, reviews: Encoded) -> tuple[float, npt.NDArray[np.bool_]]:
        """Classify reviews.

        Returns:
            The mean loss, and which of them are told rightly, ``(N,)``.
        """
        self.model.eval()
        right = np.zeros(len(reviews.rows), np.bool_)
        total = 0.0
        order = by_length(reviews.rows)
        for first in range(0, len(order), REVIEWS_AT_A_TIME):
            which = order[first : first + REVIEWS_AT_A_TIME]
            words, lengths, labels = batch_of(reviews.choose(which), self.device)
            logits = self.model(words, lengths, self.table)
            total += float(F.cross_entropy(logits, labels, reduction="sum"))
            right[which] = (logits.argmax(1) == labels).cpu().numpy()
        self.model.train()
        return total / len(order), right

    def state(self) -> dict[str, Any]:
        """Return all that :meth:`carry_on` needs."""
        return {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "epochs": [list(epoch) for epoch in self.epochs],
            "update": self.update,
            "total": self.total,
            "best": self.best,
        }

    def carry_on(self, state: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned."""
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.epochs = [Epoch(*epoch) for epoch in state["epochs"]]
        self.update, self.total = state["update"], state["total"]
        self.best = {k: v.to(self.device) for k, v in state["best"].items()}
