"""Runs Python programs in processes that need not import torch and fairseq again.

The program behind ``tests/warm_python.py``. It imports them once, listens on a socket
and forks for each client. The fork takes the client's streams and other open files, its
folder, environment and arguments, and then is what Python would have been with them,
but for the imports. It runs in a session of its own.
"""

import atexit
import contextlib
import gc
import importlib
import json
import logging
import os
import random
import runpy
import select
import signal
import socket
import sys
import threading
import types
from pathlib import Path
from typing import Any

# Not fairseq_cli: its modules choose at import where to log.
IMPORTED = (
    *("fairseq.checkpoint_utils", "fairseq.options", "fairseq.sequence_generator"),
    *("fairseq.tasks", "fairseq.trainer", "fairseq.logging.progress_bar", "sacrebleu"),
    "torch._dynamo",  # the first optimiser of a process imports it
)
MOST_FILES = 250
WITH_VALUE = ("-W", "-X")  # options of Python's that have a value


def receive(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Read what a client wants, and its open files, as numbers here."""
    header, files, _, _ = socket.recv_fds(connection, 8, MOST_FILES)
    with connection.makefile("rb") as stream:
        order: dict[str, Any] = json.loads(stream.read(int.from_bytes(header, "big")))
    return order, list(files)


def keep(connection: socket.socket, command: int) -> None:
    """Pass signals on to a command and its status back, and end with it."""
    end = os.pidfd_open(command)
    while True:
        ready, _, _ = select.select([end, connection], [], [])
        if end in ready:
            break
        numbers = connection.recv(16)
        # A client that is gone was killed, perhaps with all its children.
        for number in numbers or [signal.SIGKILL]:
            with contextlib.suppress(ProcessLookupError):
                (os.kill if numbers else os.killpg)(command, number)
        if not numbers:
            break
    _, status = os.waitpid(command, 0)
    with contextlib.suppress(OSError):
        connection.sendall(
            os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True)
        )
    os._exit(0)


def take_files(numbers: list[int], files: list[int]) -> None:
    """Give the files that came the numbers that they have in the client."""
    # First out of the way of all of these numbers.
    high = [os.dup2(file, 500 + index) for index, file in enumerate(files)]
    os.closerange(3, 500)
    for number, file in zip(numbers, high, strict=True):
        os.dup2(file, number, inheritable=True)
    os.closerange(500, 500 + len(high))
    # Line by line on a terminal, as Python does.
    lines, through = os.isatty(1), bool(os.environ.get("PYTHONUNBUFFERED"))
    sys.stdout.reconfigure(line_buffering=lines, write_through=through)


def become(order: dict[str, Any], files: list[int]) -> int:
    """Run the client's program in this process; its exit status."""
    os.setsid()
    os.chdir(order["folder"])
    os.umask(order["umask"])
    os.environ.clear()
    os.environ.update(order["environment"])
    take_files(order["numbers"], files)
    for number in order["ignored"]:
        signal.signal(number, signal.SIG_IGN)
    # What each process does by itself when it imports these.
    random.seed()
    sys.modules["numpy"].random.seed()
    if "OMP_NUM_THREADS" in os.environ:
        sys.modules["torch"].set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    # fairseq's import logs; its commands choose where.
    logging.root.handlers.clear()
    logging.root.setLevel(logging.WARNING)
    try:
        run([*order["arguments"]])
    except SystemExit as error:
        if error.code is None or isinstance(error.code, int):
            return error.code or 0
        print(error.code, file=sys.stderr)
        return 1
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        return -signal.SIGINT if isinstance(error, KeyboardInterrupt) else 1
    return 0


def end(status: int) -> None:
    """End this process as Python ends, but for the objects, which are left as they are.

    To take down all that was imported takes longer than many programs.
    """
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if not stream.closed:
            stream.flush()
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


def run(words: list[str]) -> None:
    """Run a program by the words of its command line, as Python does."""
    sys.executable = words.pop(0)
    sys.orig_argv = [sys.executable, *words]
    sys.path[:0] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    safe = False
    while words and words[0].startswith("-") and words[0] not in ("-m", "-c"):
        word = words.pop(0)
        safe = safe or word == "-P"
        if word in WITH_VALUE:
            words.pop(0)
    if words and words[0] in ("-m", "-c"):
        kind, what = words.pop(0), words.pop(0)
        if what == "pip":  # it would write this Python into the project's own commands
            sys.exit("the environment is not ready; run: bash scripts/setup.sh --dev")
        sys.argv = [kind, *words]
        sys.path[:0] = [] if safe else [os.getcwd() if kind == "-m" else ""]
        if kind == "-m":
            runpy.run_module(what, run_name="__main__", alter_sys=True)
        else:
            main = sys.modules["__main__"] = types.ModuleType("__main__")
            exec(compile(what, "<string>", "exec"), main.__dict__)
        return
    sys.argv = words
    sys.path[:0] = [] if safe else [str(Path(words[0]).resolve().parent)]
    runpy.run_path(words[0], run_name="__main__")


def next_program(listener: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Fork for each client; returns what it wants, in the forks only."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # keepers are not waited for
    while True:
        connection, _ = listener.accept()
        if os.fork():
            connection.close()
            continue
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        listener.close()
        order, files = receive(connection)
        command = os.fork()
        if command:
            keep(connection, command)
        connection.close()
        return order, files


if __name__ == "__main__":
    with socket.socket(socket.AF_UNIX) as place:
        place.bind(f"{sys.argv[1]}.new")
        place.listen(100)
        os.rename(f"{sys.argv[1]}.new", sys.argv[1])  # clients find it listening
        for module in IMPORTED:
            importlib.import_module(module)
        # Else each fork's garbage collection walks through all that was imported, and
        # copies the pages.
        gc.freeze()
        wanted = next_program(place)
    end(become(*wanted))
