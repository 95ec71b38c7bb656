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
import itertools
import logging
import os
import queue
import shutil
import sys
import tempfile
import threading
import time
import typing
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import omegaconf
import torch
from fairseq import checkpoint_utils, utils
from fairseq.data import data_utils
from fairseq.data.iterators import BackgroundConsumer, EpochBatchIterator
from fairseq.distributed.utils import _TensorPlaceholder
from fairseq.file_io import PathManager
from fairseq.optim import AMPOptimizer

from . import checkpoints
from .errors import AloneError, reason_for

logger = logging.getLogger(__name__)

REPAIRED_VERSION = "0.12.3.1"

_UNFINISHED = ".tmp"  # fairseq's own ending


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


def read_checkpoints_as_we_do() -> None:
    """Read fairseq's checkpoints with the checks of :mod:`.checkpoints`.

    fairseq lets through whatever a damaged file makes torch raise, dozens of lines of
    it, and takes values that are no numbers into a model.
    """
    fairseq_loads = checkpoint_utils.load_checkpoint_to_cpu

    @functools.wraps(fairseq_loads)
    def load_checkpoint_to_cpu(path: str, *args: Any, **kwargs: Any) -> dict[str, Any]:
        file = Path(path)
        state = checkpoints.checked(file, lambda: fairseq_loads(path, *args, **kwargs))
        return checkpoints.refuse_other_kinds(state, file)

    checkpoint_utils.load_checkpoint_to_cpu = load_checkpoint_to_cpu


def save_whole_or_not_at_all() -> None:
    """Make checkpoints and copies of them appear whole or not at all.

    fairseq copies a checkpoint to ``checkpoint_last.pt`` in place, so that a kill
    leaves a file from which no run can restart. Where it cannot write, it tries three
    times, prints three tracebacks and leaves a part behind that keeps a disk full.
    """
    fairseq_saves = checkpoint_utils.torch_persistent_save

    def save(obj: Any, filename: str, async_write: bool = False) -> None:
        if async_write:
            fairseq_saves(obj, filename, async_write)
            return
        with _writing(filename) as unfinished, open(unfinished, "wb") as file:
            torch.save(obj, file)

    def copy(src_path: str, dst_path: str, overwrite: bool = False) -> bool:
        if os.path.exists(dst_path) and not overwrite:
            return False
        with _writing(dst_path) as unfinished:
            shutil.copyfile(src_path, unfinished)
        return True

    checkpoint_utils.torch_persistent_save = save
    PathManager.copy = staticmethod(copy)


@contextlib.contextmanager
def _writing(path: str) -> Iterator[str]:
    unfinished = f"{path}{_UNFINISHED}"
    try:
        yield unfinished
        os.replace(unfinished, path)
    except (OSError, RuntimeError) as error:  # torch's own writer raises the latter
        raise AloneError(
            f"cannot save {path}: {reason_for(error)}; what was saved before is whole:"
            " make room and run the same command again"
        ) from error
    finally:
        with contextlib.suppress(OSError):
            os.unlink(unfinished)


def prepare_save_dir() -> None:
    """Refuse a ``--save-dir`` that cannot be written to; clear it of unfinished files.

    fairseq raises what the system says, which reads as if data were missing, and keeps
    what a kill left half-written.
    """

    def verify_checkpoint_directory(save_dir: str) -> None:
        folder = Path(save_dir)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for unfinished in folder.glob(f"checkpoint*.pt{_UNFINISHED}"):
                unfinished.unlink()
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            raise AloneError(
                f"--save-dir {save_dir}: cannot be written to ({error.strerror}):"
                " choose another folder, or make room"
            ) from error

    checkpoint_utils.verify_checkpoint_directory = verify_checkpoint_directory


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


def end_lines_at_line_feeds() -> None:
    """Let ``fairseq-interactive`` answer each line of its input once.

    Reading text, fairseq also ends a line at a lone carriage return and, in a file, at
    form feeds and the separators of Unicode: all later answers belong to other lines.
    """
    interactive: Any = sys.modules.get("fairseq_cli.interactive")
    if interactive is None:  # another command; to import it would set up its log
        return

    def buffered_read(input: str, buffer_size: int) -> Iterator[list[str]]:
        standard = contextlib.nullcontext(sys.stdin.buffer)
        with standard if input == "-" else open(input, "rb") as file:
            lines = itertools.starmap(_decode, enumerate(file, start=1))
            while buffer := list(itertools.islice(lines, buffer_size)):
                yield buffer

    interactive.buffered_read = buffered_read


def _decode(number: int, line: bytes) -> str:
    try:
        return line.decode().strip()
    except UnicodeDecodeError:
        raise AloneError(f"line {number} of the input is not UTF-8 text") from None


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
    read_checkpoints_as_we_do()
    save_whole_or_not_at_all()
    prepare_save_dir()
    keep_tied_tensors_tied()
    end_workers_with_their_epoch()
    stop_prefetching_at_exit()
    unscale_once()
    end_where_all_is_done()
    end_lines_at_line_feeds()
    PathManager.repaired_by_alone_fairseq = True
