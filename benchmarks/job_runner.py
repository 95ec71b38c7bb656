"""Jobs sent to the programs that do them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from alone_experiments.mistakes import Mistake
from alone_experiments.training.hardware import KEEP_FREED_MEMORY, keep_freed_memory

from .job import Job

ROOT = Path(__file__).parent.parent


class JobRunner:
    """Two programs that do jobs: one for the clock, one for the memory gauge.

    Times are taken with the allocator told to keep freed memory, as scripts/train.sh
    does, for all variants alike. That moves the peak of the resident memory, so peaks
    are taken without.

    Args:
        threads: Threads of each process.
        log: File for all that jobs print.
    """

    def __init__(self, threads: int, log: Path) -> None:
        """Start no program yet."""
        self._threads = threads
        self._log = log
        self._programs: dict[bool, subprocess.Popen[str]] = {}

    def do(self, job: Job, for_memory: bool = False) -> dict[str, Any]:
        """Do a job.

        Args:
            job: The job.
            for_memory: Whether its peak of memory is wanted rather than its time.

        Returns:
            Its result, or ``skipped`` with the reason if its memory did not suffice.

        Raises:
            Mistake: If it fails for another reason.
        """
        if for_memory not in self._programs:
            self._programs[for_memory] = self._start(for_memory)
        program = self._programs[for_memory]
        assert program.stdin is not None
        assert program.stdout is not None
        line = ""
        if program.poll() is None:
            program.stdin.write(f"{job.to_json()}\n")
            program.stdin.flush()
            line = program.stdout.readline()
        answer: dict[str, Any] = (
            json.loads(line) if line else {"error": "the program has ended"}
        )
        if "error" in answer:
            name = f"{job.kind} of {job.variant.label}" if job.variant else job.kind
            raise Mistake(f"{name} failed: {answer['error']}; see {self._log}")
        return answer

    def _start(self, for_memory: bool) -> subprocess.Popen[str]:
        environment = {
            **os.environ,
            "OMP_NUM_THREADS": str(self._threads),
            "MKL_NUM_THREADS": str(self._threads),
            # Looking for a GPU must not start it: it would not survive a fork.
            "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
            "PYTHONPATH": os.pathsep.join(
                [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
            ),
        }
        if for_memory:
            for name in KEEP_FREED_MEMORY:
                environment.pop(name, None)
        else:
            keep_freed_memory(environment)
        with open(self._log, "a") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "benchmarks.job_process"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=environment,
            )

    def __enter__(self) -> Self:
        """Begin; see :meth:`__exit__`."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the programs, and the job that is being done, whatever has happened."""
        for program in self._programs.values():
            program.terminate()
            program.communicate()
