"""How the set-up runs what takes long.

With its output in a log, with a sign of life, in a way that an interrupt stops all of
it, and with the reason if it fails.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

ALIVE = 20
"""Seconds between signs of life."""

REASONS = (
    (
        r"no space left|disk quota exceeded",
        "the disk is full; make room (or move TMPDIR, ALONE_VENV or pip's cache"
        " elsewhere) and run this again",
    ),
    (
        r"do not match the hashes|hash mismatch",
        "an archive is not the one that requirements/fairseq.txt names, so it was not"
        " installed; find out where the package index got it",
    ),
    (
        r"failed to establish|connection (refused|reset|timed out)"
        r"|(read|connect).?timed? ?out|name resolution|name or service"
        r"|network is unreachable|error sending request|dns error|proxyerror|sslerror"
        r"|failed to fetch|max retries",
        "no package index can be reached; check the network and the settings of"
        " {installer} (proxy, index, folder of wheels)",
    ),
    (
        r"no matching distribution|could not find a version|no solution found"
        r"|no versions? of",
        "the package index has no such version for this Python; set ALONE_TORCH if it"
        " is torch, else check the settings of {installer}",
    ),
)
"""What installers say, and what that means for the user."""


def say(message: str) -> None:
    """Tell on standard error what happens, as the shell scripts do."""
    print(f"==> {message}", file=sys.stderr, flush=True)


def fail(message: str) -> NoReturn:
    """End with one line that names what is wrong and the remedy."""
    print(f"error: {message}", file=sys.stderr, flush=True)
    sys.exit(1)


class Commands:
    """Commands, one after the other.

    Args:
        log: Where their output goes.
        installer: ``pip`` or ``uv``.
        python: The environment's Python.
    """

    def __init__(self, log: Path, installer: str, python: str) -> None:
        """Run nothing yet; see the class."""
        self.log, self.installer, self.python = log, installer, python
        self.inherited: tuple[int, ...] = ()
        self.child: subprocess.Popen[bytes] | None = None
        # uv does not read pip's settings. The folders are separated by spaces.
        folders = os.environ.get("PIP_FIND_LINKS", "").split()
        self.find_links = [word for one in folders for word in ("--find-links", one)]

    def run(self, title: str, command: Sequence[str]) -> None:
        """Run a command; fail with the reason if it fails."""
        say(title)
        start = time.monotonic()
        with self.log.open("ab") as log:
            said = log.tell()
            log.write(f"\n== {title}\n{' '.join(command)}\n".encode())
            log.flush()
            self.child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                # So that an interrupt reaches all of it, once.
                process_group=0,
                pass_fds=self.inherited,
            )
        while True:
            try:
                status = self.child.wait(ALIVE)
                break
            except subprocess.TimeoutExpired:
                say(f"  ... {time.monotonic() - start:.0f} s")
        self.child = None
        if status:
            self._explain(title, self.log.read_bytes()[said:].decode(errors="replace"))
        with self.log.open("a") as log_text:
            log_text.write(f"== took {time.monotonic() - start:.0f} s\n")

    def _explain(self, title: str, output: str) -> NoReturn:
        for pattern, reason in REASONS:
            if re.search(pattern, output, re.IGNORECASE):
                reason = reason.format(installer=self.installer)
                fail(f"{title}: {reason}; details: {self.log}")
        print("\n".join(output.splitlines()[-15:]), file=sys.stderr)
        fail(f"{title} failed; the lines above are the end of {self.log}")

    def install(self, title: str, words: Sequence[str]) -> None:
        """Run ``pip install``, or what uv has in its place, with these arguments."""
        if self.installer == "uv":
            # pip compiles to bytecode by itself. Without that every start of fairseq
            # takes seconds longer where Python may not write bytecode, as in many
            # containers.
            command = ["uv", "pip", "install", "--compile-bytecode", *self.find_links]
            self.run(title, [*command, "--python", self.python, *words])
        else:
            options = ["--disable-pip-version-check", "--no-input"]
            command = [self.python, "-m", "pip", "install", *options]
            self.run(title, [*command, "--progress-bar", "off", *words])

    def is_cpu_build_on_offer(self, wanted: str) -> bool:
        """Say whether the build of torch without CUDA is what would be installed."""
        if "+cpu" in wanted:
            return True
        if self.installer == "uv":
            command = [
                "uv",
                "pip",
                "install",
                "--dry-run",
                "--no-deps",
                *self.find_links,
            ]
            command += ["--python", self.python, wanted]
        else:
            command = [self.python, "-m", "pip", "index", "versions", "torch"]
        offered = subprocess.run(command, capture_output=True, text=True, check=False)
        version = wanted.removeprefix("torch==")
        said = offered.stdout + offered.stderr
        return offered.returncode == 0 and f"{version}+cpu" in said

    def stop(self) -> None:
        """Stop what runs, and all that it started."""
        child = self.child
        if child is None or child.poll() is not None:
            return
        os.killpg(child.pid, signal.SIGINT)
        try:
            child.wait(5)  # pip tidies up after an interrupt
        except subprocess.TimeoutExpired:
            # What was started in the background (nohup, &) does not hear an interrupt.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGTERM)
            child.wait()


@contextlib.contextmanager
def stopping_all(commands: Commands) -> Iterator[None]:
    """Turn an interrupt, or the end of the terminal, into an orderly end."""

    def interrupt(*_: object) -> NoReturn:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    try:
        yield
    except KeyboardInterrupt:
        commands.stop()
        say("interrupted; the same command goes on from here")
        sys.exit(130)
