"""Makes the project's virtual environment; needs nothing but Python itself.

``bash scripts/setup.sh`` finds the Python and runs this with its name.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from setup_commands import Commands, fail, say, stopping_all
from setup_machine import Machine, ask, version_of

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "requirements"
TORCH_RANGE = ((2, 6), (2, 16))
"""The versions of torch that setup.py accepts: from the first, below the second."""

HELP = """\
Makes the virtual environment .venv with torch, fairseq and this project in it, or
brings it up to date. Says what it does; done in a moment when there is nothing to
do. May be interrupted and started again at any time.
"""
ENVIRONMENT = """\
environment:
  ALONE_VENV       folder of the environment, relative to the project's folder
                   (default: .venv)
  PYTHON           the Python to make it with         (default: the first of
                   python3.12, python3.11, python3.13, python3, python that fits)
  ALONE_TORCH      which torch, e.g. "torch==2.11.0"  (default: the one that is there
                   already, else the one in requirements/torch.txt)
  ALONE_INSTALLER  pip, or uv where it is installed   (default: pip)
pip's and uv's own settings hold, e.g. PIP_FIND_LINKS for a folder of wheels.
"""
IMPORTS = """
import fairseq.data.data_utils_fast, fairseq.data.token_block_utils_fast
import sacrebleu, sacremoses, subword_nmt
import fairseq, torch
"""
TORCH_VERSION = 'from importlib.metadata import version; print(version("torch"))'


class Environment:
    """The virtual environment.

    Args:
        python: The Python to make it with.
        extras: Which of the project's extras it is to have.
    """

    def __init__(self, python: str, extras: str) -> None:
        """Look at the variables; see the class."""
        # What is named relative to the project's folder stays there.
        self.folder = ROOT / os.environ.get("ALONE_VENV", ".venv")
        self.made_with, self.extras = python, extras
        self.python = str(self.folder / "bin" / "python")
        self.unfinished = self.folder / ".alone-unfinished"
        self.wanted_torch = os.environ.get("ALONE_TORCH", "")
        self.installer = os.environ.get("ALONE_INSTALLER", "pip")
        if self.installer not in ("pip", "uv"):
            fail(f"ALONE_INSTALLER={self.installer}; it must be pip or uv")
        self.commands = Commands(
            Path(f"{self.folder}.log"), self.installer, self.python
        )
        self.machine = Machine(self.folder, self.installer)

    def is_ready(self) -> bool:
        """Say whether there is nothing to do; developers have all that others have."""
        return any(
            self._stamp(extras).is_file()
            and not self.unfinished.exists()
            and self._stamp(extras).read_text() == self._state(extras)
            for extras in {"dev", self.extras}
        )

    def _stamp(self, extras: str) -> Path:
        return self.folder / f".alone-setup-{extras}"

    def _state(self, extras: str) -> str:
        files = [ROOT / "setup.py", *sorted(REQUIREMENTS.glob("*.txt"))]
        files += sorted((ROOT / "scripts").glob("setup*.*"))
        words = [str(ROOT), str(version_of(self.python)), self.wanted_torch, extras]
        content = "\n".join(words).encode() + b"".join(map(Path.read_bytes, files))
        return hashlib.sha256(content).hexdigest() + "\n"

    def set_up(self) -> None:
        """Do all that is not done."""
        self._find_or_make()
        self._install_torch()
        self._install_fairseq()
        self._install_project()
        check = [self.python, "-c", IMPORTS]
        self.commands.run("checking that it works", check)
        unfinished = self.folder / ".alone-setup.tmp"
        unfinished.write_text(self._state(self.extras))
        unfinished.replace(self._stamp(self.extras))

    def _find_or_make(self) -> None:
        version = version_of(self.python)
        if version is None or self.unfinished.exists():
            self.machine.check_venv_module(self.made_with)
            self.machine.check_compiler(self.made_with)
            self.machine.check_room(3, "torch, fairseq and what they need")
            self._make()
            return
        remedy = f"remove {self.folder}, or name another folder with ALONE_VENV"
        if version not in ("3.11", "3.12", "3.13"):
            fail(
                f"{self.folder} has Python {version}, and 3.11, 3.12 or 3.13 is needed;"
                f" {remedy}"
            )
        named = os.environ.get("PYTHON")
        if named and version_of(named) != version:
            fail(
                f"{self.folder} has Python {version}, and PYTHON={named} is another;"
                f" {remedy}"
            )
        self.machine.check_compiler(self.python)

    def _make(self) -> None:
        if self.unfinished.exists():
            say(f"removing what an interrupted run left in {self.folder}")
            shutil.rmtree(self.folder)
        elif self.folder.exists() and any(self.folder.iterdir()):
            fail(
                f"{self.folder} is there, but is no virtual environment that works;"
                " remove it, or name another folder with ALONE_VENV"
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        self.unfinished.touch()
        command = [self.made_with, "-m", "venv"]
        command += [] if self.installer == "pip" else ["--without-pip"]
        title = (
            f"making {self.folder} with {self.made_with} ({version_of(self.made_with)})"
        )
        self.commands.run(title, [*command, str(self.folder)])
        self.unfinished.unlink()

    def _install_torch(self) -> None:
        build = ["-r", str(REQUIREMENTS / "build.txt")]
        if not self.wanted_torch and self._has_torch():
            self.commands.install("installing the build tools", build)
            return
        file = REQUIREMENTS / "torch.txt"
        lines = (line.strip() for line in file.read_text().splitlines())
        wanted = self.wanted_torch or next(s for s in lines if s and s[0] != "#")
        # The ordinary build of torch for Linux brings gigabytes of CUDA libraries. The
        # index is asked only where there is no room for them.
        room = self.machine.has_room(8)
        if not room and not self.commands.is_cpu_build_on_offer(wanted):
            self.machine.check_room(8, "torch with its CUDA libraries")
        torch = [self.wanted_torch] if self.wanted_torch else ["-r", str(file)]
        self.commands.install("installing torch and the build tools", [*torch, *build])

    def _has_torch(self) -> bool:
        found = ask(self.python, TORCH_VERSION)
        if found is None:
            return False
        first, second = found.split("+")[0].split(".")[:2]
        lowest, above = TORCH_RANGE
        return lowest <= (int(first), int(second)) < above

    def _install_fairseq(self) -> None:
        # -O0: what this leaves slow is not used for text (alignment, BASE layers,
        # Levenshtein); what is used sets -O3 itself. Compiling takes two thirds of the
        # time. CUDA_HOME would make it compile CUDA code that is not needed either.
        os.environ["CFLAGS"] = f"-O0 -g0 {os.environ.get('CFLAGS', '')}"
        os.environ.pop("CUDA_HOME", None)
        self.commands.install(
            "installing fairseq (if it must be compiled: about 2 minutes)",
            [
                *("--require-hashes", "--no-deps", "--no-build-isolation"),
                *("-r", str(REQUIREMENTS / "fairseq.txt")),
            ],
        )

    def _install_project(self) -> None:
        # The torch that is there stays, whatever else is newer.
        constraint = self.folder / "torch-constraint.txt"
        constraint.write_text(f"torch=={ask(self.python, TORCH_VERSION)}\n")
        self.commands.install(
            "installing this project and what else it needs",
            [
                *("--no-build-isolation", "--constraint", str(constraint)),
                *("--editable", f"{ROOT}[{self.extras}]"),
            ],
        )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other set-ups of the same folder waiting, also while pip goes on."""
        with Path(f"{self.folder}.lock").open("wb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say(f"waiting for another set-up of {self.folder}")
                fcntl.flock(file, fcntl.LOCK_EX)
            self.commands.inherited = (file.fileno(),)
            yield


def main() -> None:
    """Make the environment, unless it is up to date."""
    parser = argparse.ArgumentParser(
        prog="bash scripts/setup.sh",
        description=HELP,
        epilog=ENVIRONMENT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("python", help=argparse.SUPPRESS)
    parser.add_argument(
        "--dev",
        action="store_true",
        help="also what developers need: pytest, ruff, mypy, shellcheck",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="change nothing; exit status 0 if there is nothing to do, else 1",
    )
    options, unknown = parser.parse_known_args()
    if unknown:
        fail(f"unknown option {unknown[0]}; --help lists the options")
    # What scripts/reproduce.sh needs is in "experiments".
    environment = Environment(options.python, "dev" if options.dev else "experiments")
    if environment.is_ready():
        say(f"{environment.folder} is up to date")
        return
    if options.check:
        say(f"{environment.folder} is not up to date; bash scripts/setup.sh mends that")
        sys.exit(1)
    run(environment)


def run(environment: Environment) -> None:
    """Set up, one at a time."""
    start, parent = time.monotonic(), environment.folder.parent
    if environment.installer == "uv" and shutil.which("uv") is None:
        fail(
            "ALONE_INSTALLER=uv, but there is no uv; install it, or leave pip to do it"
        )
    try:
        parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"cannot make {parent} ({error.strerror}); set ALONE_VENV")
    with stopping_all(environment.commands), environment.locked():
        if environment.is_ready():
            say(f"{environment.folder} is up to date")
            return
        environment.commands.log.write_text("")
        environment.set_up()
    say(
        f"{environment.folder} is ready after {time.monotonic() - start:.0f} s;"
        f" to use it: source {environment.folder}/bin/activate"
    )


if __name__ == "__main__":
    main()
