"""Learning codes from given vectors: updates, checks, the best state of each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.random import RandomState
from torch import Tensor

from alone_experiments.codes.balance import Balance
from alone_experiments.codes.learner import CodeLearner, add_codewords, half_squares
from alone_experiments.codes.revive import revive
from alone_experiments.codes.shapes import Shape
from alone_experiments.mistakes import Mistake

WORDS_AT_A_TIME = 1024
_NOISE_STREAM, _REVIVAL_STREAM = 1, 2


class Run(NamedTuple):
    """Codes of one size, learned with one seed."""

    shape: Shape
    seed: int

    def __str__(self) -> str:
        """Name it, such as ``32x16--seed1``, as its record is named."""
        return f"{self.shape}--seed{self.seed}"


@dataclass(frozen=True)
class Schedule:
    """How codes are learned; the defaults are the published ones.

    Attributes:
        iterations: Updates.
        batch_size: Words of an update, drawn uniformly and with replacement.
        lr: Learning rate of Adam.
        check_interval: Updates between two checks.
        hidden: Size of the network's hidden layer; ``M K / 2`` if 0.
        tau: Temperature of the softmax.
        tau_end: Temperature after the last update, which it falls to by a constant
            factor an update; as ``tau`` if 0.
        straight_through: Build vectors with one codeword a codebook, as hard codes do.
        revive: Put codewords that no word uses to work at each check.
    """

    iterations: int = 200_000
    batch_size: int = 128
    lr: float = 1e-4
    check_interval: int = 1000
    hidden: int = 0
    tau: float = 1.0
    tau_end: float = 0.0
    straight_through: bool = False
    revive: bool = False

    def check(self) -> None:
        """Refuse values that cannot work.

        Raises:
            Mistake: In one line that names the flag.
        """
        for name in ("iterations", "batch_size", "check_interval"):
            if (value := getattr(self, name)) < 1:
                raise Mistake(f"--{_flag(name)} must be at least 1, not {value}")
        for name in ("lr", "tau"):
            if not 0 < (value := getattr(self, name)) < float("inf"):
                raise Mistake(f"--{_flag(name)} must be above 0, not {value}")
        if not 0 <= self.tau_end < float("inf"):
            raise Mistake(f"--tau-end must be at least 0, not {self.tau_end}")

    def temperature(self, iteration: int) -> float:
        """Compute the temperature of an update, counted from 0."""
        if not self.tau_end:
            return self.tau
        fall: float = (self.tau_end / self.tau) ** (iteration / self.iterations)
        return self.tau * fall


def _flag(name: str) -> str:
    return name.replace("_", "-")


class Check(NamedTuple):
    """What a check found of a run.

    Attributes:
        iteration: Updates that were done.
        train: Loss of the last batch, with noise: half the sum of squares.
        kept_back: Loss by hard, noise-free codes of the words kept back; of all words
            where none is. By it the best state is chosen.
        all_words: The same of all words.
        largest_probability: Mean over codes of the largest probability of a value, in
            the last batch.
        unused: Codewords that no word uses.
        entropy_bits: Mean entropy of a code.
    """

    iteration: int
    train: float
    kept_back: float
    all_words: float
    largest_probability: float
    unused: int
    entropy_bits: float


class CodeFit:
    """Runs on their way, all with as many codewords; they can be carried on.

    Batches and noise between two checks follow from the seed of a run and the number of
    the check, so that a fit that is carried on does what an uninterrupted one would.

    Args:
        runs: The runs.
        vectors: All given vectors, float32, ``(N, D)``.
        held_out: Which of them are kept back, bool, ``(N,)``.
        schedule: How to learn.
        device: Where to compute.

    Attributes:
        checks: What was found of each run, check by check.
        best: The weights of each run at its best check.

    Raises:
        Mistake: If the schedule cannot work, or no words are left to learn from.
    """

    def __init__(
        self,
        runs: Sequence[Run],
        vectors: Tensor,
        held_out: Tensor,
        schedule: Schedule,
        device: str = "cpu",
    ) -> None:
        """Draw the weights and make the optimiser."""
        schedule.check()
        self.runs, self.schedule = list(runs), schedule
        self.vectors = vectors.to(device)
        self.held_out = held_out.to(device)
        self.learnt = (~self.held_out).nonzero().squeeze(1)
        if not len(self.learnt):
            raise Mistake("--hold-out leaves no words to learn from")
        shapes, seeds = zip(*self.runs, strict=True)
        learner = CodeLearner(shapes, seeds, vectors.size(1), schedule.hidden)
        self.learner = learner.to(device)
        self.optimizer = torch.optim.Adam(
            self.learner.parameters(), lr=schedule.lr, fused=True
        )
        self.block = 0
        self.checks: list[list[Check]] = [[] for _ in self.runs]
        self.best: list[dict[str, Tensor]] = [{} for _ in self.runs]

    @property
    def iteration(self) -> int:
        """Updates that are done."""
        done = self.block * self.schedule.check_interval
        return min(done, self.schedule.iterations)

    @property
    def finished(self) -> bool:
        """Whether all updates are done."""
        return self.iteration == self.schedule.iterations

    def run_block(self) -> None:
        """Do the updates up to the next check, and check.

        Raises:
            Mistake: If a loss is no longer finite.
        """
        start, size = self.iteration, self.schedule.batch_size
        count = min(self.schedule.check_interval, self.schedule.iterations - start)
        # Batch by batch: those of a block could take more memory than all else.
        words = [RandomState([run.seed, self.block]) for run in self.runs]
        generators = [self._generator(run.seed) for run in self.runs]
        codewords = self.runs[0].shape.codewords
        noise = self.vectors.new_empty(len(self.runs), size, codewords)
        for number in range(count):
            drawn = np.stack([self._draw(own) for own in words])
            batch = torch.from_numpy(drawn).to(self.vectors.device)
            for own, generator in zip(noise, generators, strict=True):
                own.uniform_(generator=generator)
            temperature = self.schedule.temperature(start + number)
            losses, shares = self._update(self.learnt[batch], noise, temperature)
        self.block += 1
        self._check(losses, shares)
        if self.schedule.revive and not self.finished:
            self._revive()

    def _draw(self, generator: RandomState) -> np.ndarray:
        size = self.schedule.batch_size
        drawn = generator.randint(0, len(self.learnt), size, dtype=np.uint32)
        return drawn.astype(np.int64)

    def _generator(self, seed: int) -> torch.Generator:
        # torch takes 32 bits of a seed.
        stream = RandomState([seed, self.block, _NOISE_STREAM])
        number = int(stream.randint(0, 2**32, dtype=np.uint32))
        return torch.Generator(self.vectors.device).manual_seed(number)

    def _update(
        self, words: Tensor, noise: Tensor, temperature: float
    ) -> tuple[Tensor, Tensor]:
        given = self.vectors[words]
        straight = self.schedule.straight_through
        made, shares = self.learner(given, noise, temperature, straight)
        losses = half_squares(given, made)
        self.optimizer.zero_grad()
        losses.sum().backward()
        self.optimizer.step()
        return losses.detach(), shares.detach()

    @torch.no_grad()
    def _check(self, losses: Tensor, shares: Tensor) -> None:
        all_codes = self.codes()
        for number, (run, codes) in enumerate(zip(self.runs, all_codes, strict=True)):
            made = add_codewords(codes, self.learner.codewords[number])
            squares = 0.5 * (self.vectors - made).square().sum(-1).double()
            chosen = squares[self.held_out] if self.held_out.any() else squares
            balance = Balance.of(codes.cpu().numpy(), run.shape)
            probabilities = shares[number].unflatten(-1, tuple(run.shape)).amax(-1)
            found = Check(
                self.iteration,
                float(losses[number]),
                float(chosen.mean()),
                float(squares.mean()),
                float(probabilities.mean()),
                balance.unused,
                float(balance.entropies().mean()),
            )
            if not np.isfinite([found.train, found.all_words]).all():
                raise Mistake(
                    f"{run}: the loss is not finite; lower --lr ({self.schedule.lr})"
                    f" or raise --tau ({self.schedule.tau})"
                )
            earlier = [check.kept_back for check in self.checks[number]]
            if found.kept_back < min(earlier, default=float("inf")):
                own = self.learner.state_dict().items()
                self.best[number] = {k: v[number].clone() for k, v in own}
            self.checks[number].append(found)

    def _revive(self) -> None:
        vectors = self.vectors[self.learnt]
        for number, run in enumerate(self.runs):
            generator = RandomState([run.seed, self.block, _REVIVAL_STREAM])
            revive(self.learner, self.optimizer, number, vectors, generator)

    @torch.no_grad()
    def codes(self) -> list[Tensor]:
        """Choose the codes of all words, of each run; ``(N, M)`` each."""
        parts = [self.learner.codes(x) for x in self.vectors.split(WORDS_AT_A_TIME)]
        return [torch.cat(own) for own in zip(*parts, strict=True)]

    def best_check(self, number: int) -> Check:
        """Give the check at which a run was best."""
        return min(self.checks[number], key=lambda check: check.kept_back)

    def best_codes(self) -> list[tuple[Tensor, Tensor]]:
        """Give codes and codewords of each run at its best check.

        Returns:
            Codes in ``[0, K)``, int64, ``(N, M)``, and codewords, ``(M * K, D)``.
        """
        now = {k: v.clone() for k, v in self.learner.state_dict().items()}
        names = self.best[0]
        best = {k: torch.stack([own[k] for own in self.best]) for k in names}
        self.learner.load_state_dict(best)
        found = list(zip(self.codes(), best["codewords"], strict=True))
        self.learner.load_state_dict(now)
        return found

    def state(self) -> dict[str, Any]:
        """Return all that :meth:`carry_on` needs."""
        return {
            "learner": self.learner.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "block": self.block,
            "checks": [[list(check) for check in own] for own in self.checks],
            "best": self.best,
            "schedule": asdict(self.schedule),
        }

    def carry_on(self, state: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned."""
        self.learner.load_state_dict(state["learner"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.block = state["block"]
        self.checks = [[Check(*check) for check in own] for own in state["checks"]]
        device = self.vectors.device
        self.best = [{k: v.to(device) for k, v in own.items()} for own in state["best"]]
