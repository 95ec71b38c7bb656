"""What the set-up needs of the machine: a Python, a compiler, room on the disk."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from setup_commands import fail

# Succeeds where fairseq need not be compiled: it is there, or there is a wheel.
HAS_WHEEL = """
import importlib.util, platform, sys
if importlib.util.find_spec("fairseq"):
    sys.exit(0)
libc, version = platform.libc_ver()
glibc = tuple(int(n) for n in version.split(".")[:2]) if libc == "glibc" else ()
wheel = sys.version_info[:2] == (3, 12) and platform.machine() == "x86_64"
sys.exit(not (wheel and glibc >= (2, 28)))
"""
COMPILERS = """
import os, sysconfig
print(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
print(os.environ.get("CXX") or "c++")
print(sysconfig.get_path("include"))
"""


def ask(python: str, question: str) -> str | None:
    """Let a Python answer.

    Args:
        python: The program.
        question: Its code.

    Returns:
        What it prints; ``None`` if it fails, or is not there.
    """
    try:
        done = subprocess.run(
            [python, "-c", question], capture_output=True, text=True, check=False
        )
    except OSError:
        return None
    return None if done.returncode else done.stdout.strip()


def version_of(python: str) -> str | None:
    """Return the version of a Python, such as ``3.12``; ``None`` if it does not run."""
    return ask(python, 'import sys; print("%d.%d" % sys.version_info[:2])')


@dataclass(frozen=True)
class Machine:
    """The machine.

    Attributes:
        folder: Folder of the environment.
        installer: ``pip`` or ``uv``.
    """

    folder: Path
    installer: str

    def check_venv_module(self, python: str) -> None:
        """Fail unless a Python can make environments; Debian leaves that out."""
        modules = ["venv"] + ["ensurepip"] * (self.installer == "pip")
        if any(ask(python, f"import {module}") is None for module in modules):
            fail(
                f"{python} has no venv module; install it (Debian, Ubuntu: apt install"
                f" python{version_of(python)}-venv)"
            )

    def check_compiler(self, python: str) -> None:
        """Fail early and in one line, not in the middle of a compiler's output."""
        if ask(python, HAS_WHEEL) is not None:
            return
        version = version_of(python)
        needs = f"fairseq must be compiled for Python {version}"
        instead = "use Python 3.12, for which there is a wheel"
        cc, cxx, include = (ask(python, COMPILERS) or "cc\nc++\n").split("\n")
        for compiler in (cc, cxx):
            if not _compiles(compiler):
                fail(
                    f"{needs}, and {compiler} does not compile C++; install g++"
                    f" (Debian, Ubuntu: apt install build-essential) or {instead}"
                )
        if not (Path(include) / "Python.h").is_file():
            fail(
                f"{needs}, and {include}/Python.h is missing; install Python's headers"
                f" (Debian, Ubuntu: apt install python{version}-dev) or {instead}"
            )

    def has_room(self, gibibytes: int) -> bool:
        """Say whether so much is free on the disk."""
        return self._free() >= gibibytes * 1024

    def _free(self) -> int:
        return shutil.disk_usage(self.folder.parent).free // 2**20

    def check_room(self, gibibytes: int, what: str) -> None:
        """Fail if the disk is too full."""
        if not self.has_room(gibibytes):
            fail(
                f"{self.folder} needs {gibibytes} GiB for {what}, and {self._free()}"
                " MiB are free there; make room, or name another folder with ALONE_VENV"
            )


def _compiles(compiler: str) -> bool:
    # CC and CXX may hold options too, as in "gcc -pthread".
    command = [*shlex.split(compiler), "-x", "c++", "-fsyntax-only", "-"]
    try:
        done = subprocess.run(
            command, input=b"#include <vector>\n", capture_output=True, check=False
        )
    except OSError:
        return False
    return done.returncode == 0
