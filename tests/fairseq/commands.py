"""A command that runs, and what it leaves behind."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

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

    def memory(self) -> int:
        """Tell the most memory that the command has taken so far, in KiB."""
        try:
            pid = int((self.folder / "pid").read_text())
            status = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            return 0
        found = re.search(r"VmHWM:\s*(\d+)", status)
        return int(found[1]) if found else 0

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
        pid = self.folder / "pid"
        while not (pid.exists() or self.ended):
            time.sleep(0.001)
        if not self.ended:
            os.kill(int(pid.read_text()), number)

    def kill(self) -> None:
        """Send SIGKILL, as ``kill -9`` does, and wait for the end."""
        self.send(signal.SIGKILL)
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


class CommandServer:
    """Runs Python code as programs that need not import fairseq; see the server.

    Args:
        folder: Gets a folder for each program.
        python: The interpreter.
    """

    def __init__(self, folder: Path, python: str = sys.executable) -> None:
        """Start the server."""
        self._folder, self._count = folder, 0
        folder.mkdir(parents=True, exist_ok=True)
        receiver, self._sender = os.pipe()
        program = str(Path(__file__).with_name("command_server.py"))
        self._server = subprocess.Popen(
            [python, program, str(receiver)],
            pass_fds=[receiver],
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        os.close(receiver)

    def __enter__(self) -> Self:
        """Wait for nothing: orders are kept until the server is ready."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the server when all programs have been started."""
        os.close(self._sender)
        self._server.wait()

    def start(self, code: str, *arguments: object, stdin: str = "") -> Running:
        """Start code as a program, fairseq already imported."""
        self._count += 1
        folder = self._folder / str(self._count)
        folder.mkdir()
        (folder / "stdin").write_text(stdin)
        words = [str(argument) for argument in arguments]
        order = {"code": code, "arguments": words, "folder": str(folder)}
        os.write(self._sender, f"{json.dumps(order)}\n".encode())
        return Running(folder)
