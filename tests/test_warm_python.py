"""The Python of the tests that has imported fairseq already is Python."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PROGRAMS = {
    "arguments": ["-c", "import sys; print(sys.argv, sys.stdin.read())", "a", "-b"],
    "status": ["-c", "import sys; print('x', end=''); sys.exit(3)"],
    "words as status": ["-c", "raise SystemExit('no')"],
    "module": ["-m", "json.tool", "--compact"],
    "script": ["program.py", "--flag"],
    "safe path": ["-P", "-W", "ignore", "-c", "import sys; print(sys.path[0])"],
    "path": ["-c", "import sys; print(sys.path[:2])"],
    "folder": ["-c", "import os; print(os.getcwd(), os.environ['ONE'], os.umask(0))"],
    "signal": ["-c", "import os, signal; os.kill(os.getpid(), signal.SIGUSR2)"],
    "interrupt": ["-c", "import signal; signal.raise_signal(signal.SIGINT)"],
    "at exit": ["-c", "import atexit; atexit.register(print, 'bye'); print('hi')"],
    "thread": [
        "-c",
        "import threading, time\n"
        "def late(): time.sleep(0.2); print('late')\n"
        "threading.Thread(target=late).start()",
    ],
    "errors": ["-c", "import sys; print('é\\udc80', file=sys.stderr)"],
    "no such module": ["-m", "no_such_module"],
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_does_what_it_does_by_itself(
    name: str, warm_venv: Path, tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text("import sys\nprint(sys.argv, __name__)\n")
    environment = {**os.environ, "ONE": "1", "PYTHONPATH": "/first:/second"}
    warm, real = (
        subprocess.run(
            [python, *PROGRAMS[name]],
            cwd=tmp_path,
            env=environment,
            input='{"a": 1}',
            capture_output=True,
            text=True,
            check=False,
        )
        for python in (f"{warm_venv}/bin/python", sys.executable)
    )
    assert (warm.returncode, warm.stdout) == (real.returncode, real.stdout)
    last = [done.stderr.strip().split("\n")[-1] for done in (warm, real)]
    assert last[0].split(": ", 1)[-1] == last[1].split(": ", 1)[-1]


def test_open_files_and_commands_beside_it(warm_venv: Path, tmp_path: Path) -> None:
    code = "import os, sys, torch; os.write(5, sys.executable.encode())"
    command = f'exec 5>file; "{warm_venv}/bin/python" -c "{code}"'
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True)
    assert (tmp_path / "file").read_text() == f"{warm_venv}/bin/python"
    words = [f"{warm_venv}/bin/fairseq-train", "--help"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("usage: fairseq-train ")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_signals_reach_the_program(number: int, warm_venv: Path) -> None:
    handler = "signal.signal(signal.SIGTERM, lambda *_: os._exit(7))"
    code = f"import os, signal, time\n{handler}\nprint(os.getpid())\ntime.sleep(60)"
    words = [f"{warm_venv}/bin/python", "-u", "-c", code]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        process.send_signal(number)
        assert process.wait() == (7 if number == signal.SIGTERM else -signal.SIGKILL)
    end = time.monotonic() + 20
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < end, "it goes on"
        time.sleep(0.01)
