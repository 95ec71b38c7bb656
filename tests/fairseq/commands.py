"""A command that runs, and what it leaves behind."""

import json
import os
import re
import signal
import subprocess
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
    process: "subprocess.Popen[bytes]"

    @property
    def stdout(self) -> str:
        """What the command has written so far."""
        return (self.folder / "stdout").read_text(errors="replace")

    @property
    def stderr(self) -> str:
        """The errors that the command has written so far."""
        return (self.folder / "stderr").read_text(errors="replace")

    @property
    def ended(self) -> bool:
        """Whether the command is over."""
        return self.process.poll() is not None

    def memory(self) -> int:
        """Tell the most memory that the command has taken so far, in KiB."""
        try:
            status = Path(f"/proc/{self._pid()}/status").read_text()
        except OSError:
            return 0
        found = re.search(r"VmHWM:\s*(\d+)", status)
        return int(found[1]) if found else 0

    def _pid(self) -> int:
        """Give the command's number, or 0 as long as it has not begun."""
        file = self.folder / "pid"
        return int((file.exists() and file.read_text()) or 0)

    def await_that(self, holds: Callable[[], bool]) -> None:
        """Wait until something is so; a command that ends first is an error."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            assert not self.ended, f"ended too early: {self.wait()}"
            if time.monotonic() > deadline:
                self.kill()
                raise AssertionError("takes too long")
            time.sleep(0.005)

    def send(self, number: int, to_all: bool = True) -> None:
        """Send a signal to the command, once it has started."""
        del to_all  # it is one process
        while not (self._pid() or self.ended):
            time.sleep(0.001)
        if not self.ended:
            os.kill(self._pid(), number)

    def kill(self) -> None:
        """Send SIGKILL, as ``kill -9`` does, and wait for the end."""
        self.send(signal.SIGKILL)
        self.wait()

    def wait(self) -> Done:
        """Wait for the end."""
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired as error:
            self.kill()
            raise AssertionError("takes too long") from error
        return Done(status, self.stdout, self.stderr)


class Commands:
    """Starts Python code as programs, each with a folder for its streams.

    Args:
        folder: Gets a folder for each program.
        venv: The environment whose Python runs them; see ``tests/warm_python.py``.
    """

    def __init__(self, folder: Path, venv: Path) -> None:
        """Start nothing yet."""
        self._folder, self._count = folder, 0
        self._python = str(venv / "bin" / "python")

    def start(self, code: str, *arguments: object, stdin: str = "") -> Running:
        """Start code as a program."""
        self._count += 1
        folder = self._folder / str(self._count)
        folder.mkdir(parents=True)
        (folder / "stdin").write_text(stdin)
        # The process that is started is not the one that does it.
        tell = f"import os, pathlib; me = pathlib.Path({str(folder / 'pid')!r})"
        first = f"{tell}\nme.write_text(str(os.getpid()))\n"
        words = [self._python, "-c", first + code, *map(str, arguments)]
        with (
            (folder / "stdin").open() as given,
            (folder / "stdout").open("w") as out,
            (folder / "stderr").open("w") as errors,
        ):
            process = subprocess.Popen(words, stdin=given, stdout=out, stderr=errors)
        return Running(folder, process)
