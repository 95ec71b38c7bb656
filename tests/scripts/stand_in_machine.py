"""A machine that has only what a test gives it, to run the set-up on."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

BASH = shutil.which("bash") or "/bin/bash"
# What the script may use besides bash itself.
TOOLS = "cp dirname env mkdir sh sleep touch true"

# Answers what the script asks of a Python, and makes environments of itself; the script
# itself is run by a real one.
FAKE_PYTHON = """\
    #!/bin/sh
    case "$*" in
      *setup_environment.py*) exec "{real}" "$@" ;;
      *find_spec*) exit {must_compile} ;;
      *sysconfig*) printf '%s\\n' "$CC" "$CXX" "{include}" ;;
      *version_info*) echo {version} ;;
      *"import venv"* | *ensurepip*) exit {without_venv} ;;
      *metadata*) test -e "{with_torch}" && echo 2.13.0 ;;
      "-m venv "*)
        for folder; do :; done
        sleep {seconds}
        mkdir -p "$folder/bin" && cp "$0" "$folder/bin/python" ;;
    esac
"""

# Has installed torch after the first call.
FAKE_UV = """\
    #!/bin/sh
    echo "$@" >>"{calls}"
    sleep {seconds}
    echo "{text}"
    test {status} != 0 || touch "{with_torch}"
    exit {status}
"""

# Read by every Python with this file's folder on its path.
FULL_DISK = """\
    import shutil, types
    shutil.disk_usage = lambda path: types.SimpleNamespace(free={free})
"""


def processes_of_session(session: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            # pid (command) state parent group session ...
            fields = stat.read_text().rsplit(")", 1)[1].split()
            if int(fields[3]) == session and fields[0] != "Z":
                found.append(int(stat.parent.name))
    return found


class Machine:
    """A project folder and a PATH on which there is only what a test puts there."""

    def __init__(self, folder: Path, repo_root: Path) -> None:
        self.project = folder / "project"
        self.bin = folder / "bin"
        self.calls = folder / "uv-calls"
        self.torch = folder / "has-torch"
        self.bin.mkdir()
        for tool in TOOLS.split():
            found = shutil.which(tool)
            if found is None:
                pytest.skip(f"no {tool} here")
            (self.bin / tool).symlink_to(found)
        for name in ("setup.py", "requirements", "scripts"):
            target = self.project / name
            target.parent.mkdir(parents=True, exist_ok=True)
            source = repo_root / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
        self.env = {"PATH": str(self.bin), "ALONE_INSTALLER": "uv", "LC_ALL": "C"}
        self.command = [BASH, str(self.project / "scripts" / "setup.sh")]

    def write(self, name: str, text: str) -> None:
        file = self.bin / name
        file.unlink(missing_ok=True)
        file.write_text(textwrap.dedent(text))
        file.chmod(0o755)

    def add_python(
        self, name: str = "python3.11", version: str = "3.11", **kwargs: object
    ) -> None:
        values = {"without_venv": 0, "must_compile": 0, "seconds": 0, "include": "/-"}
        values |= {"version": version, "with_torch": self.torch, **kwargs}
        values["real"] = sys.executable
        self.write(name, FAKE_PYTHON.format(**values))

    def add_uv(self, text: str = "", status: int = 0, seconds: float = 0) -> None:
        self.write(
            "uv",
            FAKE_UV.format(
                calls=self.calls,
                text=text,
                status=status,
                seconds=seconds,
                with_torch=self.torch,
            ),
        )

    def fill_the_disk(self, free_mib: int) -> None:
        text = textwrap.dedent(FULL_DISK.format(free=free_mib * 2**20))
        (self.bin / "sitecustomize.py").write_text(text)
        self.env["PYTHONPATH"] = str(self.bin)

    def start(self, *args: str, **env: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*self.command, *args],
            env=self.env | env,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def run(self, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
        process = self.start(*args, **env)
        out, err = process.communicate(timeout=60)
        return subprocess.CompletedProcess(args, process.returncode, out, err)

    def kill(self, process: subprocess.Popen[str]) -> None:
        """Kill a set-up and all it started, as when the machine goes down."""
        # Again and again: one may have started another while it was looked for.
        while alive := processes_of_session(process.pid):
            for pid in alive:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        process.communicate(timeout=20)

    def error(self, *args: str, **env: str) -> str:
        """Run, expect a failure, and return its last line, which tells the reason."""
        done = self.run(*args, **env)
        assert done.returncode == 1, done.stdout + done.stderr
        line = done.stderr.splitlines()[-1]
        assert line.startswith("error: ")
        assert not list((self.project / ".venv").glob(".alone-setup*"))
        return line

    def installs(self) -> list[str]:
        return self.calls.read_text().splitlines() if self.calls.exists() else []
