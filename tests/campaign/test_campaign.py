"""The campaign sees what breaks, and in its short form nothing does."""

import faulthandler
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from alone_experiments.mistakes import Mistake
from tests.campaign import bad_input, full_disk
from tests.campaign.parts import PARTS
from tests.campaign.readers import Reader


@pytest.mark.slow
@pytest.mark.parametrize("name", list(PARTS))
def test_nothing_breaks(name: str, plugin: None, tmp_path: Path) -> None:
    del plugin
    part = PARTS[name]
    found = part.run(tmp_path / "work", 1, part.short)
    assert found["rows"]
    assert not found["failures"]


@pytest.mark.slow
def test_help_says_nothing_else(repo_root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.campaign", "--help"],
        cwd=repo_root,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("usage: scripts/trust.sh")
    assert done.stderr == ""


def fails(read: Callable[[Path], Any], folder: Path) -> str:
    reader = Reader("a reader", read, [b"a good file\n"])
    found = bad_input._in_a_process(reader, folder, "1", 3)
    return " ".join(found["failures"])


def refuse(text: str) -> None:
    raise Mistake(text)


def crash(_: Path) -> None:
    # pytest's report of a crash, of the child that this runs in, would look like one.
    faulthandler.disable()
    os.kill(os.getpid(), signal.SIGSEGV)


def test_a_reader_that_refuses_is_right(tmp_path: Path) -> None:
    assert fails(lambda _: refuse("line 1 is wrong"), tmp_path) == ""


@pytest.mark.parametrize(
    ("read", "words"),
    [
        (lambda _: {}["key"], "KeyError in"),
        (lambda _: refuse(" "), "refused without a word"),
        (lambda _: np.empty(3 << 30, np.uint8), "MemoryError"),
        (crash, "ended with status -11"),
    ],
    ids=["exception", "no words", "memory", "crash"],
)
def test_a_reader_that_breaks_is_found(
    read: Callable[[Path], Any], words: str, tmp_path: Path
) -> None:
    assert words in fails(read, tmp_path)


def test_a_reader_that_hangs_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bad_input, "SECONDS", 1)
    calls: list[int] = []

    def read(_: Path) -> None:
        calls.append(1)
        while len(calls) == 2:  # the first call is for the good file
            pass

    assert "it hangs" in fails(read, tmp_path)


def leave_a_part(path: Path) -> None:
    path.with_name("left").write_text("a part")
    raise OSError(28, "No space left on device", str(path))


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (leave_a_part, "left ['left']"),
        (lambda path: path.write_text("all is well"), "no error"),
        (lambda _: {}["key"], "traceback"),
    ],
)
def test_a_writer_that_does_other_than_it_should_is_found(
    write: Callable[[Path], object], words: str, tmp_path: Path
) -> None:
    found = full_disk._try("a writer", write, tmp_path, {}, None, "a place")
    assert words in " ".join(found)


def test_changed_files_follow_from_the_seed() -> None:
    def made(seed: int) -> list[bytes]:
        chooser = random.Random(seed)
        return [bad_input.change(b"a good file\n" * 9, chooser) for _ in range(50)]

    assert made(1) == made(1) != made(2)
    assert len(set(made(1))) > 45
