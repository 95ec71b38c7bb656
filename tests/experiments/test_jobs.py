"""Programs that are started, several at once, and how they end."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from alone_experiments.children import Children
from alone_experiments.jobs import Job, do_jobs, link, undone
from alone_experiments.locks import locked
from alone_experiments.mistakes import Mistake
from tests.scripts.stand_in_fairseq import wait_for_line

LONG = "exec sleep 60"


def shell(text: str) -> list[str]:
    return ["bash", "-c", text]


def test_commands_of_a_job_follow_one_another(tmp_path: Path) -> None:
    file = tmp_path / "order"
    commands = [shell(f"echo {name} >>{file}") for name in "abc"]
    do_jobs([Job("one", commands), Job("two", commands)], at_once=1)
    assert file.read_text().split() == [*"abcabc"]


def test_jobs_at_once_have_one_thread_each_and_name_their_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Each waits for the other.
    text = (
        "echo $OMP_NUM_THREADS >&2; touch {0}; until [[ -e {1} ]]; do sleep .02; done"
    )
    files = [str(tmp_path / name) for name in "ab"]
    jobs = [
        Job(name, [shell(text.format(*order))])
        for name, order in (("first", files), ("second", files[::-1]))
    ]
    do_jobs(jobs, at_once=2)
    assert sorted(capsys.readouterr().err.splitlines()) == ["first: 1", "second: 1"]


def test_first_failure_ends_all(tmp_path: Path) -> None:
    started = tmp_path / "started"
    jobs = [
        Job("long", [shell(f"echo >{started}; {LONG}")]),
        Job("bad", [shell(f"until [[ -e {started} ]]; do sleep .02; done; exit 3")]),
        Job("later", [shell(f"echo late >{tmp_path}/late")]),
    ]
    start = time.monotonic()
    with pytest.raises(Mistake, match="bad failed; what it said is above"):
        do_jobs(jobs, at_once=2)
    assert time.monotonic() - start < 30
    assert not (tmp_path / "late").exists()


def test_a_job_that_may_fail_ends_no_other(tmp_path: Path) -> None:
    failed, later = tmp_path / "failed", tmp_path / "later"
    wait = shell(f"until [[ -e {failed} ]]; do sleep .02; done; echo >>{later}")
    fail = [shell(f"echo >{failed}; exit 3"), shell(f"echo never >>{later}")]
    do_jobs([Job("bad", fail, failed.exists), Job("good", [wait, wait])], at_once=2)
    assert later.read_text() == "\n\n"


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_signal_ends_all(tmp_path: Path, name: str) -> None:
    pids = [tmp_path / "first", tmp_path / "second"]
    # Tests that nohup started would ignore the first of these signals.
    code = (
        f"import signal; signal.signal(signal.{name}, signal.SIG_DFL)\n"
        "from alone_experiments.jobs import Job, do_jobs\n"
        f"do_jobs([Job(str(n), [['bash', '-c', f'echo $$ >{{n}}; {LONG}']])"
        f" for n in {list(map(str, pids))}], 2)"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        for file in pids:
            wait_for_line(file)
        os.kill(process.pid, getattr(signal, name))
        assert process.wait(timeout=20) == 143
    for file in pids:
        assert not Path("/proc", file.read_text().strip()).exists()


def test_signal_that_nohup_ignores_ends_nothing(tmp_path: Path) -> None:
    file = tmp_path / "started"
    code = (
        "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "from alone_experiments.jobs import Job, do_jobs\n"
        f"text = 'echo >{file}; until [[ -e {file}.end ]]; do sleep .02; done'\n"
        "do_jobs([Job('one', [['bash', '-c', text]])], 1)"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        wait_for_line(file)
        process.send_signal(signal.SIGHUP)
        (tmp_path / "started.end").touch()
        assert process.wait(timeout=20) == 0


def test_programs_have_the_same_output_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They start in the project's folder, whatever this one's is."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ALONE_OUTPUT", "mine")
    do_jobs([Job("one", [shell(f"echo $ALONE_OUTPUT >{tmp_path}/said")])], at_once=1)
    assert (tmp_path / "said").read_text() == f"{tmp_path}/mine\n"


def test_missing_program_is_named() -> None:
    with Children() as children, pytest.raises(Mistake, match="cannot start nonesuch"):
        children.run(["nonesuch"])


def test_lock_holds_until_all_that_was_started_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("alone_experiments.locks.SECONDS_TO_WAIT", 0.3)
    code = (
        "import os, sys\nfrom pathlib import Path\n"
        "from alone_experiments.children import Children\n"
        "from alone_experiments.locks import locked\n"
        f"with locked(Path('{tmp_path}')), Children() as children:\n"
        f"    child = children.start(['bash', '-c', '{LONG}'])\n"
        "    print(child.pid, flush=True)\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as dead:
        assert dead.stdout is not None
        left_behind = int(dead.stdout.readline())
        dead.wait()
        with (
            pytest.raises(Mistake, match="another run is working in"),
            locked(tmp_path),
        ):
            pass
        os.kill(left_behind, signal.SIGKILL)
        monkeypatch.setattr("alone_experiments.locks.SECONDS_TO_WAIT", 10)
        with locked(tmp_path):
            pass


def test_a_name_is_not_given_to_another_file(tmp_path: Path) -> None:
    """Commands, by which records are known again, have the name alone."""
    first, same, other = (tmp_path / folder / "v.txt" for folder in "abc")
    for file, text in ((first, "1"), (same, "1"), (other, "2")):
        file.parent.mkdir()
        file.write_text(text)
    name = tmp_path / "data" / "v.txt"
    do_jobs([Job("link", link(first, name, replace=False))], at_once=1)
    link(same, name, replace=False)
    link(other, name, replace=True)
    with pytest.raises(Mistake, match=r"v\.txt, and records may be of that; now it is"):
        link(other, name, replace=False)
    do_jobs([Job("link", link(first.parent, tmp_path / "all", replace=False))], 1)
    link(same.parent, tmp_path / "all", replace=False)
    with pytest.raises(Mistake, match=r"all is .*, and records may be of that"):
        link(other.parent, tmp_path / "all", replace=False)


def test_a_record_of_other_options_is_not_taken_for_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fit = ["fit", "--epochs", "50", "--device", "cuda", "--output", "o"]
    (tmp_path / "row.json").write_text(json.dumps({"command": fit}))
    on_a_cpu = ["cpu" if word == "cuda" else word for word in fit]
    jobs = [Job("row", [on_a_cpu, ["keep"]]), Job("other", [fit])]
    assert undone(jobs, tmp_path) == jobs[1:]
    assert "row is done already" in capsys.readouterr().err
    less = ["5" if word == "50" else word for word in fit]
    with pytest.raises(Mistake, match=r"row\.json: was made with other options"):
        undone([Job("row", [less, ["keep"]])], tmp_path)
