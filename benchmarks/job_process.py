"""The program that does jobs, each in a process of its own that it forks.

It imports fairseq once, which takes longer than most small jobs, and reads jobs from
its standard input, one a line; on standard output it answers each with one line: the
result, or ``{"skipped": reason}``, or ``{"error": line}``. What a job prints goes to
standard error. It must not compute anything itself: neither the threads of a product of
matrices nor a GPU survive a fork.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from fairseq.utils import import_user_module

Handler = Callable[[int, FrameType | None], None] | signal.Handlers
SIGNALS = (signal.SIGTERM, signal.SIGINT)
NO_MEMORY = ("not enough memory", "can't allocate memory", "out of memory")


def main() -> None:
    """Answer jobs until the input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    folder = str(Path(__file__).parent / "published")
    import_user_module(argparse.Namespace(user_dir=folder))
    from . import job_kinds  # noqa: F401 (imported before the forks)

    if torch.version.cuda is None:
        # The first optimiser of each job would import it. With CUDA it might touch the
        # GPU, which must not happen before a fork.
        importlib.import_module("torch._dynamo")

    for line in sys.stdin:
        print(json.dumps(in_a_fork(line)), file=answers, flush=True)


def in_a_fork(job: str) -> dict[str, Any]:
    """Do a job in a process of its own.

    Args:
        job: The job as JSON.

    Returns:
        Its result, or why there is none.
    """
    reader, writer = os.pipe()
    # A signal must find either no child or the one that the handler ends.
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    process = os.fork()
    if not process:
        os.close(reader)
        become_job(job, writer)
    os.close(writer)

    def stop(number: int, frame: FrameType | None) -> None:
        del frame
        os.kill(process, signal.SIGKILL)
        os._exit(128 + number)

    _answer_signals(stop)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    _, status = os.waitpid(process, 0)
    _answer_signals(signal.SIG_DFL)
    if text:
        answer: dict[str, Any] = json.loads(text)
        return answer
    if os.waitstatus_to_exitcode(status) == -signal.SIGKILL:
        return {"skipped": "killed, probably for want of memory"}
    return {"error": f"the process ended with {os.waitstatus_to_exitcode(status)}"}


def _answer_signals(handler: Handler) -> None:
    for number in SIGNALS:
        signal.signal(number, handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def become_job(line: str, writer: int) -> None:
    """Do a job, write its result to the pipe, and end the process.

    Args:
        line: The job as JSON.
        writer: Where the result goes.
    """
    from .job import Job
    from .job_kinds import KINDS

    _answer_signals(signal.SIG_DFL)
    # If memory runs out, it is this process that has to go.
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
    job = Job.from_json(line)
    torch.set_num_threads(job.threads)
    try:
        answer: dict[str, Any] = KINDS[job.kind](job)
    except Exception as error:
        traceback.print_exc()
        name = "skipped" if is_want_of_memory(error) else "error"
        first_line = (str(error).splitlines() or [""])[0]
        answer = {name: f"{type(error).__name__}: {first_line}"}
    with os.fdopen(writer, "w") as pipe:
        json.dump(answer, pipe)
    sys.stderr.flush()
    # Not through the exit functions of the process that was forked.
    os._exit(0)


def is_want_of_memory(error: Exception) -> bool:
    """Tell whether a job failed because its tensors did not fit."""
    text = str(error).lower()
    return isinstance(error, MemoryError) or any(words in text for words in NO_MEMORY)


if __name__ == "__main__":
    main()
