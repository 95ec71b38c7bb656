"""Training: gradients are unscaled once, and what is done is not done again."""

from __future__ import annotations

import functools
import logging
import sys
from typing import Any

from fairseq import checkpoint_utils
from fairseq.optim import AMPOptimizer
from fairseq.trainer import Trainer

logger = logging.getLogger(__name__)


def end_where_all_is_done() -> None:
    """End a training at once that has been carried to its last update before.

    fairseq asks for ``--max-update`` after an update only: the same command, after a
    kill between the last save and the end, would train for one update too many.
    """
    fairseq_loads = checkpoint_utils.load_checkpoint

    @functools.wraps(fairseq_loads)
    def load_checkpoint(cfg: Any, trainer: Any, **more: Any) -> Any:
        loaded = fairseq_loads(cfg, trainer, **more)
        wanted, done = trainer.cfg.optimization.max_update, trainer.get_num_updates()
        if 0 < wanted <= done:
            logger.info(f"nothing to train: {done} of {wanted} updates are done")
            sys.exit(0)
        return loaded

    checkpoint_utils.load_checkpoint = load_checkpoint


def unscale_once() -> None:
    """Divide gradients by the scale of the loss once an update, with ``--amp``.

    fairseq names torch's optimiser to the scaler when it clips, and its own wrapper of
    it when it steps, so that the scaler divides a second time: gradients become so
    small that the constants which guard Adam's and Muon's divisions outweigh them.
    """

    def step(self: Any) -> None:
        self.scaler.step(self.optimizer)
        self.scaler.update()

    AMPOptimizer.step = step


def load_states_by_the_optimiser() -> None:
    """Hand states to fairseq's optimiser with ``--amp`` too, not to torch's behind it.

    Else what an optimiser does while it takes a state is left out: ours keeps the
    ``--muon-`` flags of now.
    """

    def load_state_dict(
        self: Any, state: dict[str, Any], overrides: dict[str, Any] | None = None
    ) -> None:
        self.fp32_optimizer.load_state_dict(state, overrides)

    AMPOptimizer.load_state_dict = load_state_dict


def begin_moving_averages_with_the_model() -> None:
    """Let ``--store-ema`` begin with the model of a checkpoint without an average.

    fairseq announces that, but has thrown the model away by then: a ``KeyError``, for
    averages of checkpoints and models that are to be fine-tuned, too.
    """
    fairseq_loads = Trainer.load_checkpoint

    @functools.wraps(fairseq_loads)
    def load_checkpoint(self: Any, *args: Any, **more: Any) -> Any:
        if not self.cfg.ema.store_ema:
            return fairseq_loads(self, *args, **more)
        read = checkpoint_utils.load_checkpoint_to_cpu

        def with_average(path: str, *how: Any, **else_: Any) -> dict[str, Any]:
            state: dict[str, Any] = read(path, *how, **else_)
            if "ema" not in state["extra_state"]:
                logger.info(f"{path} has no moving average: it begins with the model")
                state["extra_state"]["ema"] = dict(state["model"])
            return state

        checkpoint_utils.load_checkpoint_to_cpu = with_average
        try:
            return fairseq_loads(self, *args, **more)
        finally:
            checkpoint_utils.load_checkpoint_to_cpu = read

    Trainer.load_checkpoint = load_checkpoint
