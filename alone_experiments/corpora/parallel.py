"""A function applied by several processes, in order and in bounded memory."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import resource_tracker
from typing import TypeVar

from alone_experiments.mistakes import Mistake

Item = TypeVar("Item")
Result = TypeVar("Result")

WAITING = 3
"""Results a worker may be ahead of the one that reads them."""


def ordered_map(
    function: Callable[[Item], Result], items: Iterable[Item], workers: int
) -> Iterator[Result]:
    """Apply a function to items.

    The standard pools read all items at once, a whole corpus into memory; this reads as
    they are needed.

    Args:
        function: Defined at the top of a module, since other processes import it.
        items: Read lazily.
        workers: Processes; 1 works in this one.

    Yields:
        The results in the order of the items.

    Raises:
        Mistake: If the system ended a worker.
    """
    if workers == 1:
        yield from map(function, items)
        return
    # spawn: a forked copy of a process with threads may hang.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, context, initializer=_follow_parent)
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            with _interrupts_held_back():
                waiting.append(pool.submit(function, item))
            if len(waiting) > WAITING * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool as error:
        raise Mistake(
            "the system ended a worker process, probably for want of memory; run the"
            " same command with a smaller --workers"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


@contextlib.contextmanager
def _interrupts_held_back() -> Iterator[None]:
    # Processes that are started meanwhile never see an interrupt: it is the parent's to
    # answer, which gets it afterwards. The tracker would let interrupts in again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _follow_parent() -> None:
    # A killed parent must leave no process.
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
