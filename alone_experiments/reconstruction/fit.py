"""Fitting an embedding method to given word vectors.

Takase and Kobayashi (2020), section 3.1, equation 4.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from numpy.random import RandomState
from torch import Tensor

from alone_experiments.mistakes import Mistake
from alone_experiments.reconstruction.distances import DISTANCES
from alone_fairseq.embeddings import CONFIGS, CompactEmbedding, TableSize, build

ROWS_AT_A_TIME = 1024


@dataclass(frozen=True)
class Schedule:
    """How an embedding is fitted; the defaults are the published ones.

    Attributes:
        distance: Name of the distance to be minimised, see :data:`DISTANCES`.
        epochs: Passes: as many words are drawn in one as there are.
        batch_size: Words of an update, drawn uniformly and with replacement.
        lr: Learning rate of Adam, whose other settings are PyTorch's defaults.
        seed: Everything random follows from it: initial values, batches, held-out
            words, and the method's own seed where that is not given.
    """

    distance: str = "squared"
    epochs: int = 1000
    batch_size: int = 256
    lr: float = 1e-3
    seed: int = 1

    def check(self, words: int) -> None:
        """Refuse values that cannot work.

        Args:
            words: Number of words to fit.

        Raises:
            Mistake: In one line that names the flag.
        """
        if self.distance not in DISTANCES:
            known = ", ".join(DISTANCES)
            raise Mistake(f"--distance must be one of {known}, not {self.distance}")
        for flag in ("epochs", "batch_size"):
            if (value := getattr(self, flag)) < 1:
                name = flag.replace("_", "-")
                raise Mistake(f"--{name} must be at least 1, not {value}")
        if not 0 < self.lr < float("inf"):
            raise Mistake(f"--lr must be above 0, not {self.lr}")
        if not 0 <= self.seed < 2**32:
            raise Mistake(f"--seed must lie in [0, 2^32), it is {self.seed}")
        if self.updates(self.epochs, words) < 1:
            raise Mistake(
                f"--epochs {self.epochs} of {words} words make no batch of"
                f" {self.batch_size}: raise --epochs or lower --batch-size"
            )

    def updates(self, epochs: int, words: int) -> int:
        """Count the updates of the first epochs.

        A remainder of words too few for a batch is carried to the next epoch, so that
        exactly as many words are drawn as the epochs hold.
        """
        return epochs * words // self.batch_size


def build_seeded(
    method: str, options: Namespace, num_embeddings: int, dim: int, pad: int, seed: int
) -> CompactEmbedding:
    """Build an embedding whose random parts all follow from one seed.

    Args:
        method: Registered embedding method.
        options: The method's options as far as they are given; its own seed, if not
            among them, becomes ``seed``.
        num_embeddings: Number of rows ``V``.
        dim: Vector size ``D``.
        pad: Index of the padding symbol.
        seed: The seed.

    Returns:
        The embedding; torch's global generator is left as it was.

    Raises:
        Mistake: If there is no such method or an option is out of range.
    """
    options = Namespace(**vars(options))
    own_seed = f"{method}_seed"
    fields = getattr(CONFIGS.get(method), "__dataclass_fields__", {})
    if own_seed in fields and not hasattr(options, own_seed):
        setattr(options, own_seed, seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return build(method, options, TableSize(num_embeddings, dim, pad))


class Fit:
    """An embedding on its way to given vectors; it can be stopped and carried on.

    Batches of an epoch follow from the seed and the epoch's number alone, so that a
    fit that is carried on does what an uninterrupted one would have done.

    Args:
        embedding: The embedding to be fitted.
        rows: Rows of the embedding that have a given vector, int64, ``(N,)``.
        vectors: The given vectors, ``(N, D)``.
        schedule: Distance, epochs, batch size, learning rate and seed.

    Attributes:
        epoch: Number of epochs that are done.

    Raises:
        Mistake: If the method has nothing to train, or the schedule cannot work.
    """

    def __init__(
        self,
        embedding: CompactEmbedding,
        rows: Tensor,
        vectors: Tensor,
        schedule: Schedule,
    ) -> None:
        """Make the optimiser."""
        schedule.check(len(rows))
        self.embedding, self.schedule = embedding, schedule
        device = embedding.device()
        self.rows, self.vectors = rows.to(device), vectors.to(device)
        self.distance = DISTANCES[schedule.distance]
        trained = [p for p in embedding.parameters() if p.requires_grad]
        if not trained:
            raise Mistake("this --embedding-method has no values to train")
        # One pass over each parameter: about a fifth of the time of an update.
        self.optimizer = torch.optim.Adam(trained, lr=schedule.lr, fused=True)
        self.epoch = 0

    def run_epoch(self) -> None:
        """Do the updates of the next epoch.

        Raises:
            Mistake: If the values are no longer finite.
        """
        words, size = len(self.rows), self.schedule.batch_size
        done = self.schedule.updates(self.epoch, words)
        coming = self.schedule.updates(self.epoch + 1, words) - done
        generator = RandomState([self.schedule.seed, self.epoch])
        drawn = generator.randint(0, words, (coming, size), dtype=np.uint32)
        for batch in torch.from_numpy(drawn.astype(np.int64)).to(self.rows.device):
            self._update(batch)
        self.epoch += 1

    def _update(self, batch: Tensor) -> None:
        made = self.embedding.rows(self.rows[batch])
        self.distance(self.vectors[batch], made).mean().backward()
        self.optimizer.step()
        self.optimizer.zero_grad()

    def loss(self) -> float:
        """Compute the mean distance over all fitted words."""
        made = build_rows(self.embedding, self.rows)
        return float(self.distance(self.vectors, made).double().mean())

    def run(
        self, until: int, after_epoch: Callable[[Fit], None] = lambda _: None
    ) -> None:
        """Do epochs until so many are done, and call a function after each.

        Raises:
            Mistake: If the loss is no longer finite at the end.
        """
        while self.epoch < until:
            self.run_epoch()
            after_epoch(self)
        if not np.isfinite(self.loss()):
            raise Mistake(
                f"the fit diverged: its loss is not finite; lower --lr"
                f" ({self.schedule.lr})"
            )

    def state(self) -> dict[str, Any]:
        """Return all that :meth:`carry_on` needs."""
        return {
            "embedding": self.embedding.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "epoch": self.epoch,
            "schedule": asdict(self.schedule),
        }

    def carry_on(self, state: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned.

        Raises:
            Mistake: If it is of an embedding with other options.
        """
        self.embedding.load_state_dict(state["embedding"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.epoch = state["epoch"]


def build_rows(embedding: CompactEmbedding, rows: Tensor) -> Tensor:
    """Build vectors without gradients, in slices that bound the memory.

    Args:
        embedding: Any embedding.
        rows: Word indices, int64, ``(N,)``.

    Returns:
        Vectors, ``(N, D)``.
    """
    with torch.no_grad():
        return torch.cat([embedding.rows(part) for part in rows.split(ROWS_AT_A_TIME)])
