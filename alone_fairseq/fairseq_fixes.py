"""Repairs of fairseq itself, for fairseq-fixed 0.12.3.1.

fairseq offers no hook for any of these; each function says what goes wrong without
it. All are applied once, when fairseq imports this package.
"""

from __future__ import annotations

import argparse
import atexit
import collections
import contextlib
import functools
import importlib.metadata
import os
import queue
import shutil
import threading
import time
import typing
from collections.abc import Iterable
from typing import Any

import numpy as np
import omegaconf
import torch
from fairseq import utils
from fairseq.data import data_utils
from fairseq.data.iterators import BackgroundConsumer, EpochBatchIterator
from fairseq.distributed.utils import _TensorPlaceholder
from fairseq.file_io import PathManager
from fairseq.optim import AMPOptimizer

from .errors import AloneError

REPAIRED_VERSION = "0.12.3.1"


def allow_checkpoint_types() -> None:
    """Let torch's safe loader read what fairseq writes into its checkpoints.

    fairseq calls ``torch.load`` without naming the plain data types it stores, and
    torch 2.6 and newer then refuse the file. The types named here only hold data:
    the options, NumPy numbers (left by ``--eval-bleu``), and the configuration
    objects that the first process sends to the others when a run is resumed.
    """
    numpy_types = [np.ndarray, np.dtype, type(np.dtype(np.float64))]
    numpy_types += [type(np.dtype(kind)) for kind in "?bBhHiIlLqQefd"]
    makers: list[Any] = [np.empty(0).__reduce__()[0], np.float64(0).__reduce__()[0]]
    # NumPy 2 renamed the module that a file may name.
    renamed = [
        (maker, f"{module}.multiarray.{maker.__name__}")
        for module in ("numpy.core", "numpy._core")
        for maker in makers
    ]
    configuration = [
        omegaconf.DictConfig,
        omegaconf.ListConfig,
        omegaconf.base.ContainerMetadata,
        omegaconf.base.Metadata,
        omegaconf.nodes.AnyNode,
        typing.Any,
        dict,
        list,
        int,
        collections.defaultdict,
        _TensorPlaceholder,
    ]
    torch.serialization.add_safe_globals(
        [argparse.Namespace, *numpy_types, *renamed, *configuration]
    )


def keep_last_batch() -> None:
    """Keep the sentences of the last batch of a data set.

    With ``--required-batch-size-multiple`` (8 unless set otherwise), fairseq drops
    the last batch when its size is no multiple: 4 of 100 test sentences are never
    translated, and training never sees the longest sentences.
    """
    fairseq_batches = data_utils.batch_by_size

    @functools.wraps(fairseq_batches)
    def batch_by_size(indices: Iterable[int], *args: Any, **kwargs: Any) -> list[Any]:
        array = (
            indices
            if isinstance(indices, np.ndarray)
            else np.fromiter(indices, dtype=np.int64, count=-1)
        )
        if not array.size:
            return []
        batches: list[Any] = fairseq_batches(array, *args, **kwargs)
        kept = sum(len(batch) for batch in batches)
        if kept < array.size and not _has_fixed_shapes(args, kwargs):
            batches.append(array[kept:])
        return batches

    data_utils.batch_by_size = batch_by_size


def _has_fixed_shapes(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    # Fixed shapes reorder the sentences; nothing is dropped there.
    shapes = args[5] if len(args) > 5 else kwargs.get("fixed_shapes")
    return shapes is not None


def copy_atomically() -> None:
    """Make copies of checkpoints appear whole or not at all.

    fairseq writes a checkpoint once and copies it to ``checkpoint_last.pt`` in
    place; a kill during the copy leaves a file from which no run can restart.
    """

    def copy(src_path: str, dst_path: str, overwrite: bool = False) -> bool:
        if os.path.exists(dst_path) and not overwrite:
            return False
        unfinished = f"{dst_path}.tmp"
        shutil.copyfile(src_path, unfinished)
        os.replace(unfinished, dst_path)
        return True

    PathManager.copy = staticmethod(copy)


def keep_tied_tensors_tied() -> None:
    """Write a tensor that a model has under several names only once.

    fairseq moves a checkpoint's tensors to the CPU one name at a time, which makes a
    copy for each name wherever the model is on a GPU or in half precision: a tied
    embedding would be stored three times.
    """
    fairseq_moves = utils.move_to_cpu

    @functools.wraps(fairseq_moves)
    def move_to_cpu(sample: Any) -> Any:
        moved: dict[tuple[Any, ...], torch.Tensor] = {}

        def move(tensor: torch.Tensor) -> torch.Tensor:
            key = (tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype)
            if key not in moved:
                moved[key] = fairseq_moves([tensor])[0]
            return moved[key]

        return utils.apply_to_sample(move, sample)

    utils.move_to_cpu = move_to_cpu


def end_workers_with_their_epoch() -> None:
    """Let the processes that load the data of an epoch end with it.

    fairseq asks torch to keep the workers of a data loader for the next epoch, and with
    ``--update-epoch-batch-itr`` then makes another loader for it. The old workers wait
    until Python happens to collect the loader, each with its copy of what the training
    had in memory.
    """
    build = EpochBatchIterator.__init__

    @functools.wraps(build)
    def build_without(
        self: Any, *args: Any, persistent_workers: bool = False, **kwargs: Any
    ) -> None:
        build(self, *args, persistent_workers=persistent_workers, **kwargs)

    EpochBatchIterator.__init__ = build_without


def stop_prefetching_at_exit() -> None:
    """End fairseq's prefetching threads before the interpreter ends.

    A training that stops in the middle of an epoch leaves a daemon thread that makes
    batches. When the interpreter ends while the thread is inside torch, the process
    aborts with exit code 134 after all was done and saved.
    """
    atexit.register(_stop_prefetching)


def _stop_prefetching(patience: float = 10.0) -> None:
    deadline = time.monotonic() + patience
    for thread in threading.enumerate():
        if isinstance(thread, BackgroundConsumer):
            thread._max_len = 0  # it ends after the batch it is making
            while thread.is_alive() and time.monotonic() < deadline:
                with contextlib.suppress(queue.Empty):
                    thread._queue.get(timeout=0.05)


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


def apply_all() -> None:
    """Apply every repair; a second call changes nothing.

    Raises:
        AloneError: If another fairseq than the one they were made for is installed.
    """
    if getattr(PathManager, "repaired_by_alone_fairseq", False):
        return
    found = importlib.metadata.version("fairseq-fixed")
    if found != REPAIRED_VERSION:
        raise AloneError(
            f"fairseq-fixed {found} is installed, {REPAIRED_VERSION} is needed: run"
            f" pip install fairseq-fixed=={REPAIRED_VERSION}"
        )
    allow_checkpoint_types()
    keep_last_batch()
    copy_atomically()
    keep_tied_tensors_tied()
    end_workers_with_their_epoch()
    stop_prefetching_at_exit()
    unscale_once()
    PathManager.repaired_by_alone_fairseq = True
