"""Data: every sentence reaches the model, and what loads it ends with its work."""

from __future__ import annotations

import atexit
import contextlib
import functools
import itertools
import queue
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from fairseq.data import TokenBlockDataset, data_utils
from fairseq.data.iterators import BackgroundConsumer, EpochBatchIterator

from ..errors import AloneError


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


def cut_text_at_sentences() -> None:
    """Let language models read a sentence at a time with NumPy 2.

    With ``--sample-break-mode eos``, and always in ``fairseq-interactive``, fairseq
    asks for a name of int64, ``np.compat.long``, that NumPy 2 no longer has.
    """
    fairseq_cuts = TokenBlockDataset._build_slice_indices

    def build_slice_indices(
        sizes: Any, break_mode: str | None, document_sep_len: int, block_size: int
    ) -> tuple[Any, Any, Any]:
        if break_mode != "eos":
            cut: tuple[Any, Any, Any] = fairseq_cuts(
                sizes, break_mode, document_sep_len, block_size
            )
            return cut
        lengths = np.asarray(sizes, dtype=np.int64)
        ends, places = np.cumsum(lengths), np.arange(len(lengths))
        # Of each block the first sentence, the place in it, and the last sentence.
        blocks = np.stack([places, np.zeros_like(places), places], axis=1)
        return lengths, blocks, np.stack([ends - lengths, ends], axis=1)

    TokenBlockDataset._build_slice_indices = staticmethod(build_slice_indices)


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
