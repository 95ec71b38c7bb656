"""Checkpoints: read safely, written whole, tied tensors once."""

from __future__ import annotations

import argparse
import collections
import contextlib
import functools
import os
import shutil
import tempfile
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import omegaconf
import torch
from fairseq import checkpoint_utils, utils
from fairseq.distributed.utils import _TensorPlaceholder
from fairseq.file_io import PathManager

from .. import checkpoints
from ..errors import AloneError, reason_for

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
