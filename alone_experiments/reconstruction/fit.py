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
from torch import Tensor, nn
from torch.optim import Optimizer

from alone_experiments.mistakes import Mistake
from alone_experiments.reconstruction.distances import DISTANCES
from alone_fairseq.embeddings import CONFIGS, CompactEmbedding, TableSize, build

ROWS_AT_A_TIME = 1024
OPTIMIZERS = ("adam", "adam_muon")
LR_SCHEDULES = ("constant", "linear")


@dataclass(frozen=True)
class Schedule:
    """How an embedding is fitted; the defaults are the published ones.

    Attributes:
        distance: Name of the distance to be minimised, see :data:`DISTANCES`.
        epochs: Passes: as many words are drawn in one as there are. With none, the
            initial values stay.
        batch_size: Words of an update, drawn uniformly and with replacement.
        optimizer: ``adam``, or ``adam_muon``: Muon, with updates as large as Adam's,
            for the matrices of the method's network, and Adam for all else.
        lr: Learning rate of Adam, whose other settings are PyTorch's defaults, and of
            Muon.
        lr_schedule: ``constant``, or ``linear`` for a rate that falls to nothing.
        seed: Everything random follows from it: initial values, batches, held-out
            words, and the method's own seed where that is not given.
    """

    distance: str = "squared"
    epochs: int = 1000
    batch_size: int = 256
    optimizer: str = "adam"
    lr: float = 1e-3
    lr_schedule: str = "constant"
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
        if self.optimizer not in OPTIMIZERS:
            known = " or ".join(OPTIMIZERS)
            raise Mistake(f"--optimizer must be {known}, not {self.optimizer}")
        if self.optimizer == "adam_muon" and not hasattr(torch.optim, "Muon"):
            raise Mistake(
                "--optimizer adam_muon needs torch 2.9 or newer, this is"
                f" {torch.__version__}: install that, or leave it out"
            )
        if self.lr_schedule not in LR_SCHEDULES:
            known = " or ".join(LR_SCHEDULES)
            raise Mistake(f"--lr-schedule must be {known}, not {self.lr_schedule}")
        for flag, least in (("epochs", 0), ("batch-size", 1)):
            if (value := getattr(self, flag.replace("-", "_"))) < least:
                raise Mistake(f"--{flag} must be at least {least}, not {value}")
        if not 0 < self.lr < float("inf"):
            raise Mistake(f"--lr must be above 0, not {self.lr}")
        if not 0 <= self.seed < 2**32:
            raise Mistake(f"--seed must lie in [0, 2^32), it is {self.seed}")
        if self.epochs and self.updates(self.epochs, words) < 1:
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

    def lr_at(self, update: int, words: int) -> float:
        """Compute the learning rate of an update, the first one being number 0."""
        if self.lr_schedule == "constant":
            return self.lr
        return self.lr * (1 - update / self.updates(self.epochs, words))

    def make_optimizers(self, embedding: CompactEmbedding) -> dict[str, Optimizer]:
        """Make an optimiser for each trained value.

        Args:
            embedding: What is to be fitted.

        Returns:
            Optimisers by name.

        Raises:
            Mistake: If there is nothing to train, or nothing for Muon.
        """
        trained = [p for p in embedding.parameters() if p.requires_grad]
        if not trained:
            raise Mistake("this --embedding-method has no values to train")
        network: list[nn.Parameter] = []
        if self.optimizer == "adam_muon":
            network = list(embedding.network_matrices().values())
            if not network:
                raise Mistake(
                    "--optimizer adam_muon: this --embedding-method has no network for"
                    " Muon to train; leave it out"
                )
        ours = {id(matrix) for matrix in network}
        others = [p for p in trained if id(p) not in ours]
        made: dict[str, Optimizer] = {}
        if others:
            # One pass over each parameter: about a fifth of the time of an update.
            made["optimizer"] = torch.optim.Adam(others, lr=self.lr, fused=True)
        if network:
            made["muon"] = torch.optim.Muon(
                network,
                lr=self.lr,
                weight_decay=0.0,
                adjust_lr_fn="match_rms_adamw",
            )
        return made


def given_options(args: Namespace, method: str) -> dict[str, Any]:
    """Take a method's options from a command line, those that are given.

    Args:
        args: The command line, with ``None`` for what is not given.
        method: The method; none of its options are there if it does not exist.
    """
    own = getattr(CONFIGS.get(method), "__dataclass_fields__", {})
    given = {name: getattr(args, name, None) for name in own}
    return {name: value for name, value in given.items() if value is not None}


def build_seeded(
    method: str, options: Namespace, size: TableSize, seed: int
) -> CompactEmbedding:
    """Build an embedding whose random parts all follow from one seed.

    Args:
        method: Registered embedding method.
        options: The method's options as far as they are given; its own seed, if not
            among them, becomes ``seed``.
        size: The size of its table, with its symbols.
        seed: The seed.

    Returns:
        The embedding; torch's global generator is left as it was.

    Raises:
        Mistake: If there is no such method or an option is out of range.
    """
    options = Namespace(**vars(options))
    for name in getattr(CONFIGS.get(method), "__dataclass_fields__", {}):
        if name.endswith("_seed") and not hasattr(options, name):
            setattr(options, name, seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return build(method, options, size)


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
        self.optimizers = schedule.make_optimizers(embedding)
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
        batches = torch.from_numpy(drawn.astype(np.int64)).to(self.rows.device)
        for number, batch in enumerate(batches, start=done):
            self._update(batch, self.schedule.lr_at(number, words))
        self.epoch += 1

    def _update(self, batch: Tensor, lr: float) -> None:
        made = self.embedding.rows(self.rows[batch])
        self.distance(self.vectors[batch], made).mean().backward()
        for optimizer in self.optimizers.values():
            for group in optimizer.param_groups:
                group["lr"] = lr
            optimizer.step()
            optimizer.zero_grad()

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
            **{name: one.state_dict() for name, one in self.optimizers.items()},
            "epoch": self.epoch,
            "schedule": asdict(self.schedule),
        }

    def carry_on(self, state: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned.

        Raises:
            Mistake: If it is of an embedding with other options.
        """
        self.embedding.load_state_dict(state["embedding"])
        for name, optimizer in self.optimizers.items():
            optimizer.load_state_dict(state[name])
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
