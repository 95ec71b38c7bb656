"""Folders in which one program works at a time."""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from alone_experiments.locks import locked
from alone_experiments.mistakes import Mistake


def work_in_vain(folder: Path, before: Callable[[], None] = lambda: None) -> None:
    def fail() -> None:
        with locked(folder):
            before()
            raise Mistake("in vain")

    with pytest.raises(Mistake, match="in vain"):
        fail()


def test_an_error_leaves_no_folder_that_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    work_in_vain(tmp_path / "there/new/newer")
    assert [path.name for path in tmp_path.rglob("*")] == ["there"]


def test_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    work_in_vain(tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["lock", "raw"]


def test_a_lock_that_was_removed_meanwhile_keeps_nobody_out(tmp_path: Path) -> None:
    folder, inside = tmp_path / "folder", []

    def work() -> None:
        with locked(folder):
            inside.append((folder / "lock").exists())

    waiting = threading.Thread(target=work)

    def let_it_wait() -> None:
        waiting.start()
        time.sleep(0.3)

    work_in_vain(folder, let_it_wait)
    waiting.join()
    assert inside == [True]


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with (
        pytest.raises(Mistake, match=r"cannot write .*file"),
        locked(tmp_path / "file"),
    ):
        pass
