"""scripts/setup.sh where nothing is missing: what it installs, and what it skips.

Nothing is installed here: Python and uv are stand-ins.
"""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.scripts.stand_in_machine import Machine


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_fairseq_comes_with_its_hash_and_without_an_isolated_build(
    machine: Machine,
) -> None:
    assert machine.run().returncode == 0
    torch, fairseq, project = machine.installs()
    assert "-r" in torch
    assert "requirements/torch.txt" in torch
    assert "--require-hashes --no-deps --no-build-isolation" in fairseq
    assert fairseq.endswith("requirements/fairseq.txt")
    assert project.endswith(f"--editable {machine.project}[experiments]")


def test_torch_that_is_there_stays(machine: Machine) -> None:
    machine.torch.touch()
    assert machine.run().returncode == 0
    assert not any("torch.txt" in call for call in machine.installs())
    constraint = machine.project / ".venv" / "torch-constraint.txt"
    assert constraint.read_text() == "torch==2.13.0\n"


def test_named_torch_is_installed(machine: Machine) -> None:
    machine.torch.touch()
    assert machine.run(ALONE_TORCH="torch==2.11.0").returncode == 0
    assert " torch==2.11.0 " in machine.installs()[0]


def test_folders_of_wheels_are_passed_to_uv(machine: Machine) -> None:
    assert machine.run(PIP_FIND_LINKS="/some/wheels /more").returncode == 0
    for call in machine.installs():
        assert "--find-links /some/wheels" in call
        assert "--find-links /more" in call


def test_range_of_torch_is_the_one_in_setup_py(repo_root: Path) -> None:
    program = (repo_root / "scripts" / "setup_environment.py").read_text()
    (line,) = re.findall(r"^TORCH_RANGE = .*", program, re.MULTILINE)
    low, high = re.findall(r"\((\d+), (\d+)\)", line)
    requirement = f'"torch>={".".join(low)},<{".".join(high)}"'
    assert requirement in (repo_root / "setup.py").read_text()


def test_hashes_are_of_the_version_in_setup_py(repo_root: Path) -> None:
    requirement = r"fairseq-fixed==[\d.]+"
    (pinned,) = set(
        re.findall(requirement, (repo_root / "requirements/fairseq.txt").read_text())
    )
    assert pinned in (repo_root / "setup.py").read_text()


def test_version_is_the_same_everywhere(repo_root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "setup.py", "--version"],
        cwd=repo_root,
        capture_output=True,
        text=True,
        check=True,
    )
    version = done.stdout.split()[-1]
    assert f'__version__ = "{version}"' in (
        repo_root / "alone_fairseq" / "__init__.py"
    ).read_text(encoding="utf-8")
    assert f"\nversion: {version}\n" in (repo_root / "CITATION.cff").read_text()


# Again, and interrupted.


def test_second_run_is_quick_and_does_nothing(machine: Machine) -> None:
    assert machine.run().returncode == 0
    calls = machine.installs()
    start = time.monotonic()
    again = machine.run()
    seconds = time.monotonic() - start
    assert again.stderr.endswith(".venv is up to date\n")
    assert machine.installs() == calls
    assert seconds < 1


def test_developers_environment_serves_users_too(machine: Machine) -> None:
    assert machine.run("--check").returncode == 1
    assert machine.run().returncode == 0
    assert machine.run("--check").returncode == 0
    assert machine.run("--dev", "--check").returncode == 1
    assert machine.run("--dev").returncode == 0
    (machine.project / ".venv" / ".alone-setup-experiments").unlink()
    assert machine.run("--check").returncode == 0


@pytest.mark.parametrize(
    "change", ["setup.py", "requirements/build.txt", "other torch", "no Python"]
)
def test_environment_that_is_out_of_date_is_noticed(
    machine: Machine, change: str
) -> None:
    assert machine.run().returncode == 0
    env = {}
    if change == "other torch":
        env["ALONE_TORCH"] = "torch==2.11.0"
    elif change == "no Python":
        (machine.project / ".venv" / "bin" / "python").unlink()
    else:
        with (machine.project / change).open("a") as file:
            file.write("# changed\n")
    assert machine.run("--check", **env).returncode == 1


def test_check_changes_nothing(machine: Machine) -> None:
    before = sorted(machine.project.rglob("*"))
    assert machine.run("--check").returncode == 1
    assert sorted(machine.project.rglob("*")) == before


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_stops_all_and_the_next_run_goes_on(
    machine: Machine, how: signal.Signals
) -> None:
    machine.add_uv(seconds=300)
    process = machine.start()
    wait_for(lambda: bool(machine.installs()))
    process.send_signal(how)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130, out + err
    assert "interrupted" in err
    machine.add_uv()
    # The sleeping install would keep the lock, and this one would wait for it.
    again = machine.run()
    assert again.returncode == 0, again.stderr
    assert "waiting" not in again.stderr


def test_environment_cut_short_by_a_kill_is_made_anew(machine: Machine) -> None:
    machine.add_python(seconds=300)
    process = machine.start()
    unfinished = machine.project / ".venv" / ".alone-unfinished"
    wait_for(unfinished.exists)
    (unfinished.parent / "half").touch()
    machine.kill(process)
    machine.add_python()
    again = machine.run()
    assert again.returncode == 0, again.stderr
    assert "removing what an interrupted run left" in again.stderr
    assert not (unfinished.parent / "half").exists()


def test_two_at_once_do_not_disturb_each_other(machine: Machine) -> None:
    machine.add_uv(seconds=0.5)
    first = machine.start()
    wait_for(lambda: bool(machine.installs()))
    second = machine.run()
    assert first.wait(timeout=30) == 0
    first.communicate()
    assert second.returncode == 0
    assert "waiting for another set-up" in second.stderr
    assert len(machine.installs()) == 3
