"""scripts/setup.sh where something is missing: one line that tells it and helps.

Nothing is installed here. Python and uv are stand-ins, except where a test says so.
"""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scripts.stand_in_machine import BASH, Machine


@pytest.mark.parametrize("script", ["setup.sh", "test.sh", "lint.sh"])
def test_help_names_every_option(repo_root: Path, script: str) -> None:
    path = repo_root / "scripts" / script
    done = subprocess.run(
        [BASH, str(path), "--help"], capture_output=True, text=True, check=True
    )
    options = set(
        re.findall(r"(?:^ *|\| |== )(--[a-z]+)(?:\)| \||$| \]\])", path.read_text())
    )
    if script == "setup.sh":
        program = path.with_name("setup_environment.py").read_text()
        options = set(re.findall(r'add_argument\(\s*"(--[a-z]+)"', program))
        assert options == {"--dev", "--check"}
    assert "--help" in done.stdout
    assert all(option in done.stdout for option in options)


def test_unknown_option_is_refused(machine: Machine) -> None:
    assert "unknown option --devel; --help lists" in machine.error("--devel")


def test_unknown_installer_is_refused(machine: Machine) -> None:
    assert "must be pip or uv" in machine.error(ALONE_INSTALLER="conda")


def test_missing_uv_is_named(machine: Machine) -> None:
    (machine.bin / "uv").unlink()
    assert "there is no uv" in machine.error()


@pytest.mark.parametrize("version", ["2.7", "3.9", "3.10", "3.14", "3.15"])
def test_python_of_another_version_is_named(machine: Machine, version: str) -> None:
    (machine.bin / "python3.11").unlink()
    machine.add_python("python3", version)
    line = machine.error()
    assert f"no Python 3.11, 3.12 or 3.13 found, python3 is {version}; install" in line
    assert "PYTHON=/path/to" in line


def test_no_python_at_all(machine: Machine) -> None:
    (machine.bin / "python3.11").unlink()
    assert "looked for python3.12 python3.11" in machine.error()


def test_named_python_is_the_only_one_looked_at(machine: Machine) -> None:
    line = machine.error(PYTHON="/no/such/python")
    assert "looked for /no/such/python" in line


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_supported_python_is_taken(machine: Machine, version: str) -> None:
    (machine.bin / "python3.11").unlink()
    machine.add_python("python", version)
    done = machine.run()
    assert done.returncode == 0, done.stderr
    assert f"with python ({version})" in done.stderr


def test_a_python_that_does_not_start_is_passed_over(machine: Machine) -> None:
    machine.write("python3.12", "#!/bin/sh\necho not installed >&2; exit 127\n")
    assert "with python3.11 (3.11)" in machine.run().stderr


def test_missing_venv_module_is_named(machine: Machine) -> None:
    machine.add_python(without_venv=1)
    assert "apt install python3.11-venv" in machine.error(ALONE_INSTALLER="pip")


def test_missing_compiler_is_named(machine: Machine) -> None:
    machine.add_python(must_compile=1)
    line = machine.error(CC="true", CXX="no-such-compiler -v")
    assert "no-such-compiler -v does not compile C++" in line
    assert "apt install build-essential" in line


def test_missing_headers_are_named(machine: Machine, tmp_path: Path) -> None:
    machine.add_python(must_compile=1, include=tmp_path)
    line = machine.error(CC="true", CXX="true")
    assert f"{tmp_path}/Python.h is missing" in line
    assert "apt install python3.11-dev" in line
    (tmp_path / "Python.h").touch()
    assert machine.run(CC="true", CXX="true").returncode == 0


def test_full_disk_is_found_before_anything_is_written(machine: Machine) -> None:
    machine.fill_the_disk(free_mib=1000)
    assert "3 GiB" in (line := machine.error())
    assert "1000 MiB are free" in line
    assert not (machine.project / ".venv").exists()
    assert machine.installs() == []


@pytest.mark.parametrize(("build", "fits"), [("2.13.0", False), ("2.13.0+cpu", True)])
def test_room_for_cuda_is_asked_for_only_where_cuda_comes(
    machine: Machine, build: str, fits: bool
) -> None:
    machine.fill_the_disk(free_mib=5 * 1024)
    machine.add_uv(text=f" + torch=={build}")
    if fits:
        assert machine.run().returncode == 0
    else:
        assert "8 GiB for torch with its CUDA libraries" in machine.error()


def test_folder_that_is_no_environment_is_left_alone(machine: Machine) -> None:
    precious = machine.project / "mine" / "thesis.txt"
    precious.parent.mkdir()
    precious.touch()
    assert "is no virtual environment" in machine.error(ALONE_VENV="mine")
    assert list(precious.parent.iterdir()) == [precious]


def test_environment_of_another_python_is_named(machine: Machine) -> None:
    assert machine.run().returncode == 0
    machine.add_python("python3.13", "3.13")
    (machine.project / "setup.py").write_text("# changed")
    done = machine.run(PYTHON="python3.13")
    assert done.returncode == 1
    assert "has Python 3.11, and PYTHON=python3.13 is another" in done.stderr


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("OSError: [Errno 28] No space left on device", "the disk is full; make room"),
        (
            "error sending request for url (https://…)",
            "no package index can be reached",
        ),
        ("NewConnectionError: Failed to establish", "no package index can be reached"),
        ("THESE PACKAGES DO NOT MATCH THE HASHES", "is not the one that requirements"),
        ("No matching distribution found for torch", "has no such version"),
        ("there is no version of torch==9.9", "has no such version"),
        ("something else", "the lines above are the end of"),
    ],
)
def test_failed_install_gives_the_reason(
    machine: Machine, output: str, reason: str
) -> None:
    machine.add_uv(text=output, status=2)
    line = machine.error()
    assert "installing torch and the build tools" in line
    assert reason in line
    assert ".venv.log" in line


@pytest.mark.slow
def test_no_network_with_the_real_pip(machine: Machine) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound, but nothing listens
        line = machine.error(
            PATH=os.environ["PATH"],
            PYTHON=sys.executable,
            ALONE_INSTALLER="pip",
            PIP_INDEX_URL=f"http://127.0.0.1:{closed.getsockname()[1]}/simple",
            PIP_CONFIG_FILE=os.devnull,
            PIP_RETRIES="1",
            # The check of the disk is for another test.
            ALONE_TORCH="torch==2.13.0+cpu",
        )
    assert "no package index can be reached; check the network" in line


def test_forged_archive_is_refused_by_the_real_pip(
    tmp_path: Path, repo_root: Path
) -> None:
    (tmp_path / "fairseq_fixed-0.12.3.1.tar.gz").write_bytes(b"something else")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--dry-run", "--no-index"),
            *("--ignore-installed", "--no-deps", "--require-hashes"),
            *("--find-links", str(tmp_path)),
            *("-r", str(repo_root / "requirements" / "fairseq.txt")),
        ],
        capture_output=True,
        text=True,
        env=os.environ | {"PIP_CONFIG_FILE": os.devnull},
    )
    if "No module named pip" in done.stderr:
        pytest.skip("no pip in this environment")
    assert done.returncode != 0
    assert "DO NOT MATCH THE HASHES" in done.stderr
