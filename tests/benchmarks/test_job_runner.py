"""Jobs in processes of their own: results, and what becomes of failures."""

from pathlib import Path

import pytest

from alone_experiments.mistakes import Mistake
from alone_experiments.training.hardware import KEEP_FREED_MEMORY
from benchmarks.job import Job
from benchmarks.job_runner import JobRunner


@pytest.mark.slow
def test_jobs_that_succeed_and_jobs_that_fail(tmp_path: Path) -> None:
    log = tmp_path / "jobs.log"
    with JobRunner(1, log) as runner:
        assert runner.do(Job("matrix_rate", matrix_size=64))["flops_per_second"] > 0
        skipped = runner.do(Job("matrix_rate", matrix_size=10**7))["skipped"]
        assert "allocate" in skipped
        with pytest.raises(Mistake) as caught:
            runner.do(Job("nonsense"))
        assert str(caught.value).splitlines() == [
            f"nonsense failed: KeyError: 'nonsense'; see {log}"
        ]
        assert "Traceback" in log.read_text()
        # A failure is the job's own: the next one is done.
        assert runner.do(Job("matrix_rate", matrix_size=64))["seconds"] > 0
        (program,) = runner._programs.values()
    assert program.poll() is not None


@pytest.mark.slow
def test_only_clocks_run_with_kept_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in KEEP_FREED_MEMORY:
        monkeypatch.setenv(name, str(2**30))
    job = Job("matrix_rate", matrix_size=64)
    with JobRunner(1, tmp_path / "jobs.log") as runner:
        for for_memory in (False, True):
            runner.do(job, for_memory)
        for for_memory, program in runner._programs.items():
            inherited = Path(f"/proc/{program.pid}/environ").read_text()
            for name in KEEP_FREED_MEMORY:
                assert (f"{name}=" in inherited) is not for_memory
