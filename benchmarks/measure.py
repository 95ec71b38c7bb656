"""The clock and the memory gauge of all measurements."""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch
from torch.utils.checkpoint import checkpoint

AT_LEAST_SECONDS = 0.05
"""A time is taken over so many calls that it is no shorter than this."""


def seconds_per_call(call: Callable[[], Any], calls: int, warm_up: int) -> float:
    """Time a function.

    Args:
        call: What to time.
        calls: How often to call it under the clock; more often if it is very short.
        warm_up: How often to call it before, at least once.

    Returns:
        Seconds for one call, on a GPU until the last kernel has ended.
    """
    for _ in range(max(1, warm_up)):
        once = elapsed(call, 1)
    calls = max(calls, min(1000, int(AT_LEAST_SECONDS / max(once, 1e-9))))
    return elapsed(call, calls) / calls


def elapsed(call: Callable[[], Any], calls: int) -> float:
    """Time so many calls together, without one before.

    Args:
        call: What to time.
        calls: How often to call it.

    Returns:
        Seconds for all calls, on a GPU until the last kernel has ended.
    """
    _wait_for_gpu()
    start = time.perf_counter()
    for _ in range(calls):
        call()
    _wait_for_gpu()
    return time.perf_counter() - start


def _wait_for_gpu() -> None:
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()


class MemoryGauge:
    """The most memory in use since the gauge was made, beyond what was in use then.

    On a GPU it is what torch has allocated there; else the resident memory of the
    process. One process measures one thing: what an earlier one gave back is not
    always given back to the system.

    Args:
        device: ``cpu`` or ``cuda``.
    """

    def __init__(self, device: str) -> None:
        """Note the memory in use now."""
        self.on_gpu = device == "cuda"
        _set_up_libraries(device)
        if self.on_gpu:
            torch.cuda.reset_peak_memory_stats()
            self.baseline = torch.cuda.memory_allocated()
        else:
            _forget_peak()
            self.baseline = _resident_bytes()

    def peak_bytes(self) -> int:
        """Tell the peak so far, in bytes."""
        if self.on_gpu:
            return torch.cuda.max_memory_allocated() - self.baseline
        # Linux counts resident pages by the dozen, the two numbers at different times.
        return max(0, process_peak_bytes() - self.baseline)


def _set_up_libraries(device: str) -> None:
    # What the first product, backward pass and optimiser of a process load and
    # allocate is no variant's cost.
    matrix = torch.ones(64, 64, device=device, requires_grad=True)
    optimizer = torch.optim.Adam([matrix])
    checkpoint(torch.mm, matrix, matrix, use_reentrant=False).sum().backward()
    optimizer.step()


def process_peak_bytes() -> int:
    """Tell the largest resident memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _forget_peak() -> None:
    # What reading the dictionaries of millions of words took for a while would count,
    # and what it left free would be taken for nothing. Where the system has no such
    # calls, both are so.
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
