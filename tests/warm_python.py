"""A Python that has imported torch and fairseq before it starts.

Importing them takes longer than most programs that the tests start. The environment
made here is used in place of the project's: its ``python``, and all commands beside it,
hand their arguments, streams and signals to a server that forks for them
(``warm_python_server.py``). What a program prints, writes and ends with is the same.
What is not: ``kill -9`` ends its children too, it runs in a session of its own, it ends
without taking its objects down, and it does not run pip.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Starts in a fiftieth of a second: no site packages, nothing of the caller's.
CLIENT = r"""#!{python} -IS
import json, os, signal, socket, sys

connection = socket.socket(socket.AF_UNIX)
connection.connect({socket!r})
numbers = []
for name in os.listdir("/proc/self/fd"):
    number = int(name)
    try:
        if number < 3 or os.get_inheritable(number):
            numbers.append(number)
    except OSError:
        pass  # that of the folder itself
passed = signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1
umask = os.umask(0)
os.umask(umask)
order = json.dumps({{
    "arguments": sys.argv,
    "folder": os.getcwd(),
    "environment": dict(os.environ),
    "umask": umask,
    "numbers": numbers,
    "ignored": [n for n in passed if signal.getsignal(n) is signal.SIG_IGN],
}}).encode()


def pass_on(number, frame):
    connection.send(bytes([number]))


for number in passed:
    if signal.getsignal(number) is not signal.SIG_IGN:
        signal.signal(number, pass_on)
socket.send_fds(connection, [len(order).to_bytes(8, "big")], numbers)
connection.sendall(order)
status = int.from_bytes(connection.recv(4, socket.MSG_WAITALL), "big", signed=True)
if status < 0:
    signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
os._exit(status)
"""


@contextmanager
def warm_environment(folder: Path) -> Iterator[Path]:
    """Make an environment whose Python has imported torch and fairseq.

    Args:
        folder: Where to make it; does not exist yet.

    Yields:
        The environment's folder, for ``ALONE_VENV``; its commands are in ``bin``.
    """
    real = Path(sys.executable).parent
    (folder / "bin").mkdir(parents=True)
    for file in real.parent.iterdir():
        if file.name != "bin":
            (folder / file.name).symlink_to(file)
    # Elsewhere, as a socket's name must be short.
    place = Path(tempfile.mkdtemp(prefix="warm-python-")) / "server"
    client = CLIENT.format(python=sys.executable, socket=str(place))
    for file in real.iterdir():
        ours = folder / "bin" / file.name
        if file.name.startswith("python"):
            write_program(ours, client)
        elif file.read_bytes()[:2] == b"#!" and b"python" in file.read_bytes()[:300]:
            rest = file.read_text().partition("\n")[2]
            write_program(ours, f"#!{folder}/bin/python\n{rest}")
        else:
            ours.symlink_to(file)
    program = Path(__file__).with_name("warm_python_server.py")
    variables = {**os.environ, "OMP_NUM_THREADS": "1"}
    variables.pop("PYTHONPATH", None)  # each program gets its own
    command = [sys.executable, "-P", str(program), str(place)]
    with subprocess.Popen(command, env=variables) as server:
        try:
            while not place.exists():
                assert server.poll() is None, "the server of programs has ended"
                time.sleep(0.001)
            yield folder
        finally:
            server.terminate()
            shutil.rmtree(place.parent)


def write_program(file: Path, text: str) -> None:
    """Write a program's file."""
    file.write_text(text)
    file.chmod(0o755)
