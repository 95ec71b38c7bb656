"""Programs that this one starts, and that end with it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType, TracebackType
from typing import IO, Self

from alone_experiments.mistakes import Mistake
from alone_experiments.repository import ROOT, output_folder

ENDED = 143
"""What this program returns after a signal, as a shell says of one that TERM ended."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Children:
    """Programs started in the project's folder; a signal ends all of them at once.

    To be used as a context, at whose end none of them runs. After a signal this program
    ends too, with the status ``ENDED``.

    Args:
        environment: Of the programs, in place of this one's, but for ``PATH`` and the
            folder ``ALONE_OUTPUT``.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        """Start nothing yet."""
        chosen = os.environ if environment is None else environment
        self._environment = {**chosen, "PATH": command_path()}
        if self._environment.get("ALONE_OUTPUT"):
            # They start in another folder, from where its name would be another's.
            self._environment["ALONE_OUTPUT"] = str(output_folder())
        self._running: set[subprocess.Popen[bytes]] = set()
        self._stopped = self._signalled = False

    def __enter__(self) -> Self:
        """Begin to answer signals, but those that nohup, say, has made it ignore."""
        self._before = {
            each: signal.signal(each, self._answer)
            for each in _SIGNALS
            if signal.getsignal(each) != signal.SIG_IGN
        }
        return self

    def _answer(self, number: int, frame: FrameType | None) -> None:
        # An exception raised here, just after a program was started and before it is
        # known, would leave it behind.
        del number, frame
        self._signalled = True
        self.stop()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wait until nothing runs any more."""
        self.stop()
        for child in list(self._running):
            child.wait()
        for each, handler in self._before.items():
            signal.signal(each, handler)
        if self._signalled:
            sys.exit(ENDED)

    def stop(self) -> None:
        """Ask all programs to end; from now on none is started."""
        self._stopped = True
        for child in list(self._running):
            child.terminate()

    def start(
        self,
        command: Sequence[str],
        output: IO[bytes] | None = None,
        errors: IO[bytes] | int | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a program.

        Args:
            command: The program and its arguments.
            output: Where its standard output goes, if not where this program's goes.
            errors: The same of its standard error; may be ``subprocess.PIPE``.

        Returns:
            The program.

        Raises:
            Mistake: If it cannot be started, or all have been asked to end.
        """
        if self._stopped:
            raise Mistake(f"{command[0]} was not started any more")
        try:
            child = subprocess.Popen(
                command,
                cwd=ROOT,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                close_fds=False,  # it holds the locks of this program
            )
        except OSError as error:
            raise Mistake(f"cannot start {command[0]}: {error.strerror}") from error
        self._running.add(child)
        if self._stopped:
            child.terminate()
        return child

    def ended(
        self, child: subprocess.Popen[bytes], seconds: float | None = None
    ) -> bool:
        """Wait for the end of a program.

        Args:
            child: The program.
            seconds: How long to wait at most; without, as long as it takes.

        Returns:
            Whether it has ended.
        """
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        self._running.discard(child)
        return True

    def run(
        self,
        command: Sequence[str],
        output: IO[bytes] | None = None,
        errors: IO[bytes] | None = None,
    ) -> int:
        """Start a program and wait for its end; see :meth:`start`.

        Returns:
            Its exit status, as :func:`shell_status` gives it.

        Raises:
            SystemExit: If a signal has asked this program to end.
        """
        child = self.start(command, output, errors)
        self.ended(child)
        if self._signalled:
            sys.exit(ENDED)
        return shell_status(child)


def shell_status(child: subprocess.Popen[bytes]) -> int:
    """Give the status of a program that has ended, of a signal 128 and its number."""
    status = int(child.returncode)
    return status if status >= 0 else 128 - status


def command_path() -> str:
    """Say where commands are looked for: the project's environment, this Python's."""
    places = [ROOT / os.environ.get("ALONE_VENV", ".venv") / "bin"]
    places.append(Path(sys.executable).parent)
    return os.pathsep.join([*map(str, places), os.environ.get("PATH", "")])


def check_installed() -> None:
    """Check that fairseq's commands are there to be started.

    Raises:
        Mistake: If they are not.
    """
    if shutil.which("fairseq-train", path=command_path()) is None:
        raise Mistake("fairseq is not installed; run: bash scripts/setup.sh")
