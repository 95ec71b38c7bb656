"""A command that runs, and what it leaves behind."""

import json
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE = 300.0  # seconds for one command


@dataclass
class Done:
    """What a finished command left behind."""

    returncode: int
    stdout: str
    stderr: str

    def __str__(self) -> str:
        """Tell the end of what the command wrote."""
        ends = [text.strip()[-2000:] for text in (self.stdout, self.stderr)]
        return "\n".join((f"exit status {self.returncode}", *ends))

    @property
    def last_line(self) -> str:
        """The last line of the error stream."""
        return (self.stderr.strip().splitlines() or [""])[-1]

    def log(self, tag: str) -> list[dict[str, Any]]:
        """Read fairseq's JSON log lines of a kind, such as ``train_inner``."""
        marked = [line.split(f"| {tag} | ", 1) for line in self.stdout.splitlines()]
        return [json.loads(parts[1]) for parts in marked if len(parts) == 2]

    def assert_refused(self, *words: str) -> None:
        """Assert a failure that is told in one line, with these words in it."""
        assert self.returncode != 0, str(self)
        # Of the plugin inside of fairseq's commands, and of the command alone-fairseq.
        told = ("alone_fairseq: error: ", "alone-fairseq: error: ")
        assert self.last_line.startswith(told), str(self)
        assert "Traceback" not in f"{self.stdout}\n{self.stderr}", str(self)
        for word in words:
            assert word in self.last_line, str(self)


@dataclass
class Running:
    """A command that was started."""

    folder: Path

    @property
    def stdout(self) -> str:
        """What the command has written so far."""
        path = self.folder / "stdout"
        return path.read_text(errors="replace") if path.exists() else ""

    @property
    def stderr(self) -> str:
        """The errors that the command has written so far."""
        path = self.folder / "stderr"
        return path.read_text(errors="replace") if path.exists() else ""

    @property
    def ended(self) -> bool:
        """Whether the command is over."""
        return (self.folder / "status").exists()

    def await_that(self, holds: Callable[[], bool]) -> None:
        """Wait until something is so; a command that ends first is an error."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            assert not self.ended, f"ended too early: {self.wait()}"
            if time.monotonic() > deadline:
                self.kill()
                raise AssertionError("takes too long")
            time.sleep(0.005)

    def kill(self) -> None:
        """Send SIGKILL, as ``kill -9`` does, and wait for the end."""
        os.kill(int((self.folder / "pid").read_text()), signal.SIGKILL)
        self.wait()

    def wait(self) -> Done:
        """Wait for the end."""
        status = self.folder / "status"
        deadline = time.monotonic() + PATIENCE
        while not status.exists():
            if time.monotonic() > deadline:
                self.kill()
                raise AssertionError("takes too long")
            time.sleep(0.01)
        return Done(int(status.read_text()), self.stdout, self.stderr)
