"""Training a tagger: epochs, the development sentences after each, the best state."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.random import RandomState
from torch import Tensor, nn

from alone_experiments.mistakes import Mistake
from alone_experiments.tagging.tagger import Tagger
from alone_experiments.tagging.treebank import Sentence, Treebank

LARGEST_NORM = 5.0
"""Of an update's gradients; not in the paper."""

SENTENCES_AT_A_TIME = 64


@dataclass(frozen=True)
class Schedule:
    """How a tagger is trained; the paper gives the first two, and Adam.

    Attributes:
        lr: Learning rate of Adam.
        dropout: Of what the BiLSTM reads and gives.
        seed: Everything random follows from it.
        epochs: Passes over the training sentences; the one that is best by the
            development sentences counts.
        batch_size: Sentences of an update.
        hidden: Size of the BiLSTM's states in each direction.
    """

    lr: float
    dropout: float
    seed: int
    epochs: int = 20
    batch_size: int = 16
    hidden: int = 100


class DivergedError(Mistake):
    """A training whose numbers are no longer finite."""


class Fit:
    """A tagger on its way; it can be carried on, with the same end.

    Args:
        tagger: The tagger, with its initial values.
        treebank: What it learns from.
        schedule: How.

    Attributes:
        dev: Accuracy on the development sentences after each epoch.
        best: State of the tagger after the best epoch.
    """

    def __init__(self, tagger: Tagger, treebank: Treebank, schedule: Schedule) -> None:
        """Make the optimiser."""
        self.tagger, self.treebank, self.schedule = tagger, treebank, schedule
        trained = [p for p in tagger.parameters() if p.requires_grad]
        self.optimizer = torch.optim.Adam(trained, lr=schedule.lr)
        self.dev: list[float] = []
        self.best: dict[str, Tensor] = {}

    @property
    def finished(self) -> bool:
        """Whether all epochs are done."""
        return len(self.dev) == self.schedule.epochs

    def run_epoch(self) -> None:
        """Train on all sentences once, in an order that follows from seed and epoch.

        Raises:
            DivergedError: If a loss is no longer finite, or the scores of tags are not.
        """
        train, size = self.treebank.parts["train"], self.schedule.batch_size
        seeds = RandomState([self.schedule.seed, len(self.dev)])
        order = seeds.permutation(len(train))
        self.tagger.train()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(seeds.randint(2**32, dtype=np.uint32)))  # dropout
            for start in range(0, len(train), size):
                self._update([train[i] for i in order[start : start + size]])
        right, _ = accuracy(self.tagger, self.treebank, "dev")
        if right > max(self.dev, default=-1.0):
            self.best = deepcopy(self.tagger.state_dict())
        self.dev.append(right)

    def _update(self, batch: Sequence[Sentence]) -> None:
        logits = self.tagger([sentence.words for sentence in batch])
        answers = _answers(batch, self.treebank.tags).to(logits.device)
        loss = F.cross_entropy(logits, answers)
        if not loss.isfinite():
            raise DivergedError(
                f"the loss is not finite; lower --lr ({self.schedule.lr})"
            )
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.tagger.parameters(), LARGEST_NORM)
        self.optimizer.step()

    def state(self) -> dict[str, Any]:
        """Return all that :meth:`carry_on` needs."""
        return {
            "tagger": self.tagger.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "best": self.best,
            "dev": self.dev,
        }

    def carry_on(self, state: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned."""
        self.tagger.load_state_dict(state["tagger"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.best, self.dev = state["best"], state["dev"]


def _answers(sentences: Sequence[Sentence], tags: Sequence[str]) -> Tensor:
    # A tag that no training sentence has is none that a tagger could give.
    rows = {tag: row for row, tag in enumerate(tags)}
    return torch.tensor([rows.get(tag, -1) for each in sentences for tag in each.tags])


@torch.no_grad()
def accuracy(
    tagger: Tagger, treebank: Treebank, part: str
) -> tuple[float, float | None]:
    """Score a tagger, which is put into evaluation mode.

    Args:
        tagger: The tagger.
        treebank: The treebank.
        part: Its part, such as ``test``.

    Returns:
        Shares of words with the right tag: of all words, and of those that are in no
        training sentence, ``None`` where there are none of these.

    Raises:
        DivergedError: If scores of tags are not finite.
    """
    tagger.eval()
    sentences, known = treebank.parts[part], treebank.counts
    right = []
    for start in range(0, len(sentences), SENTENCES_AT_A_TIME):
        some = sentences[start : start + SENTENCES_AT_A_TIME]
        logits = tagger([each.words for each in some])
        if not logits.isfinite().all():
            raise DivergedError("the scores of tags are not finite; lower --lr")
        right.append(logits.argmax(1).cpu() == _answers(some, treebank.tags))
    every = torch.cat(right).double()
    unseen = torch.tensor([w not in known for each in sentences for w in each.words])
    of_unseen = float(every[unseen].mean()) if unseen.any() else None
    return float(every.mean()), of_unseen
