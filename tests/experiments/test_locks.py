"""Folders in which one program works at a time."""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from alone_experiments import locks
from alone_experiments.locks import locked
from alone_experiments.mistakes import Mistake
from alone_experiments.training.remove_run import remove_run


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


def test_a_run_that_is_worked_on_is_not_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "SECONDS_TO_WAIT", 0.0)
    run = tmp_path / "run"
    (run / "test").mkdir(parents=True)
    (run / "train.log").write_text("kept")
    with locked(run), pytest.raises(Mistake, match="another run is working in"):
        remove_run(run)
    assert (run / "train.log").read_text() == "kept"
    remove_run(run)
    assert os.listdir(run) == ["lock"]
    remove_run(tmp_path / "nonesuch")


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with (
        pytest.raises(Mistake, match=r"cannot write .*file"),
        locked(tmp_path / "file"),
    ):
        pass
