"""steps.py and parallel.py: done once, in order, in bounded memory."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from alone_experiments import steps
from alone_experiments.corpora import parallel
from alone_experiments.mistakes import Mistake


class Chain:
    """Two steps, of which the second depends on the first."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.one, self.two = folder, folder / "one", folder / "two"
        self.finished = folder / "finished"

    def run(self, setting: int = 1, other: int = 1, fails: bool = False) -> list[str]:
        chain = steps.Steps(self.folder / "steps", self.finished)
        key = chain.run(
            "one",
            [self.one],
            {"setting": setting},
            lambda: self._write(self.one, setting),
        )

        def make() -> None:
            if fails:
                self.two.write_text("half")
                raise RuntimeError
            self._write(self.two, setting + other)

        chain.run("two", [self.two], {"one": key, "other": other}, make)
        self.finished.touch()
        return chain.done

    def _write(self, file: Path, number: int) -> None:
        file.write_text("x" * number)


@pytest.fixture
def chain(tmp_path: Path) -> Chain:
    return Chain(tmp_path)


def test_done_steps_are_skipped(chain: Chain) -> None:
    assert chain.run() == ["one", "two"]
    assert chain.run() == []


def test_a_changed_setting_does_again_what_depends_on_it(chain: Chain) -> None:
    chain.run()
    assert chain.run(other=2) == ["two"]
    assert chain.run(setting=2, other=2) == ["one", "two"]
    assert chain.two.read_text() == "xxxx"


def test_a_missing_or_cut_file_is_made_again(chain: Chain) -> None:
    chain.run()
    chain.one.unlink()
    assert chain.run() == ["one"]
    chain.two.write_text("")
    assert chain.run() == ["two"]


def test_a_step_that_failed_is_not_done(chain: Chain) -> None:
    chain.run()
    with pytest.raises(RuntimeError):
        chain.run(other=3, fails=True)
    assert not chain.finished.exists()
    # Not even under the setting of before: its file is lost.
    assert chain.run() == ["two"]


def test_code_and_versions_count() -> None:
    found = steps.made_by(parallel, "sacremoses", "no-such-distribution")
    assert set(found) == {
        "alone_experiments.corpora.parallel",
        "sacremoses",
        "no-such-distribution",
    }
    assert found["no-such-distribution"] == "not installed"
    assert len(found["alone_experiments.corpora.parallel"]) == 64


def counted(read: list[int], numbers: int) -> Iterator[int]:
    for number in range(numbers):
        read.append(number)
        yield number


@pytest.mark.slow
def test_results_come_in_order_and_input_is_read_as_needed() -> None:
    read: list[int] = []
    results = parallel.ordered_map(abs, counted(read, 100), workers=2)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    assert len(read) <= 3 + parallel.WAITING * 2 + 1
    assert list(results) == list(range(3, 100))


@pytest.mark.slow
def test_a_worker_that_the_system_ends_is_told() -> None:
    with pytest.raises(Mistake, match="ended a worker process"):
        list(parallel.ordered_map(os._exit, range(9, 20), workers=2))


WORKING = """
import sys, time
from alone_experiments.mistakes import exit_status
from alone_experiments.corpora.parallel import ordered_map
if __name__ == "__main__":
    work = lambda: list(ordered_map(time.sleep, [float(sys.argv[1])] * 4, 2))
    sys.exit(exit_status(work))
"""
PROCESSES = 4  # it, two workers, and multiprocessing's own


def start_working(folder: Path, seconds: float) -> "subprocess.Popen[str]":
    script = folder / "working.py"
    script.write_text(WORKING)
    return subprocess.Popen(
        [sys.executable, str(script), str(seconds)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert condition()


@pytest.mark.slow
def test_workers_end_with_a_killed_parent(tmp_path: Path) -> None:
    process = start_working(tmp_path, seconds=60)
    wait_until(lambda: len(group(process.pid)) == PROCESSES)
    time.sleep(1)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    wait_until(lambda: not group(process.pid))


@pytest.mark.slow
def test_an_interrupt_is_one_line_even_while_workers_start(tmp_path: Path) -> None:
    process = start_working(tmp_path, seconds=0.5)
    wait_until(lambda: len(group(process.pid)) == PROCESSES)
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate()[1] == "interrupted; the same command carries on\n"
    assert process.returncode == 130


def group(leader: int) -> list[int]:
    """List the processes of a group."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == leader and fields[0] != "Z":
            found.append(int(folder.name))
    return found
