"""A training that is killed at any moment goes on as if nothing had happened."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

# Update 20 is saved in the second epoch of 14 updates, where an exact resumption needs
# the recipe's --update-epoch-batch-itr; ReLU dropout ends soon after it.
FLAGS = (
    *("--max-update", "33", "--save-interval-updates", "10", "--log-interval", "1"),
    *("--alone-relu-dropout", "0.2", "--alone-relu-dropout-updates", "22"),
)

# Stands in for a slow disk: the file is half-written when it waits to be killed.
SLOW_COPY = """
import shutil, time
from pathlib import Path

def copyfile(source, target):
    content = Path(source).read_bytes()
    with open(target, "wb") as file:
        file.write(content[: len(content) // 2])
        file.flush()
        if "_2_20" in str(source) and "checkpoint_last" in str(target):
            Path({marker!r}).touch()
            time.sleep(600)
        file.write(content[len(content) // 2 :])
    return target

shutil.copyfile = copyfile
"""

SLOW_WRITE = """
import io, time, torch
from pathlib import Path

save = torch.save

def slow_save(state, file, *arguments, **options):
    buffer = io.BytesIO()
    save(state, buffer, *arguments, **options)
    content = buffer.getvalue()
    file.write(content[: len(content) // 2])
    file.flush()
    if "checkpoint_2_20.pt" in file.name:
        Path({marker!r}).touch()
        time.sleep(600)
    file.write(content[len(content) // 2 :])

torch.save = slow_save
"""

STOCK_COPY = """
import sys
from fairseq.file_io import PathManager

stock = PathManager.copy
sys.path.insert(0, {root!r})
import alone_fairseq

PathManager.copy = staticmethod(stock)
"""


@pytest.fixture(scope="module")
def uninterrupted(
    tmp_path_factory: pytest.TempPathFactory, train: Callable[..., Any]
) -> tuple[Any, Path]:
    """A training that nothing disturbs, and its folder."""
    folder = tmp_path_factory.mktemp("uninterrupted")
    return train(folder, *FLAGS), folder


@pytest.fixture
def start_training(
    start_command: Callable[..., Any], tiny_data: Path, recipe: list[str]
) -> Callable[..., Any]:
    """A function that starts the training and comes back at once."""

    def start(folder: Path, before: str = "") -> Any:
        words = (tiny_data, *recipe, *FLAGS, "--save-dir", folder)
        return start_command("train", *words, before=before)

    return start


@pytest.fixture
def assert_same_end(
    uninterrupted: tuple[Any, Path], read_checkpoint: Callable[[Path], dict[str, Any]]
) -> Callable[[Any, Path], None]:
    """A function that compares a run with the one that nothing disturbed."""

    def compare(done: Any, folder: Path) -> None:
        undisturbed, its_folder = uninterrupted
        for tag, losses in (
            ("train", ("train_loss", "train_nll_loss", "train_gnorm")),
            ("valid", ("valid_loss", "valid_nll_loss", "valid_best_loss")),
        ):
            mine, expected = done.log(tag)[-1], undisturbed.log(tag)[-1]
            assert [mine[loss] for loss in losses] == [expected[x] for x in losses]
        mine = read_checkpoint(folder / "checkpoint_last.pt")
        expected = read_checkpoint(its_folder / "checkpoint_last.pt")
        torch.testing.assert_close(mine["model"], expected["model"], rtol=0, atol=0)
        torch.testing.assert_close(
            mine["last_optimizer_state"],
            expected["last_optimizer_state"],
            rtol=0,
            atol=0,
        )

    return compare


def last_update(stdout: str) -> int:
    return int((re.findall(r'"num_updates": "(\d+)"', stdout) or ["0"])[-1])


@pytest.mark.slow
def test_killed_in_the_middle_of_an_epoch(
    start_training: Callable[..., Any],
    assert_same_end: Callable[[Any, Path], None],
    tmp_path: Path,
) -> None:
    running = start_training(tmp_path)
    running.await_that(lambda: last_update(running.stdout) >= 22)
    running.kill()
    assert 22 <= last_update(running.stdout) < 28  # epoch 2 ends after update 28
    again = start_training(tmp_path).wait()
    assert "(epoch 2 @ 20 updates)" in again.stdout
    assert int(again.log("train_inner")[0]["num_updates"]) == 21
    assert_same_end(again, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("slow", [SLOW_COPY, SLOW_WRITE], ids=["copy", "write"])
def test_killed_in_the_middle_of_a_save(
    slow: str,
    start_training: Callable[..., Any],
    assert_same_end: Callable[[Any, Path], None],
    tmp_path: Path,
) -> None:
    marker, folder = tmp_path / "half written", tmp_path / "run"
    running = start_training(folder, before=slow.format(marker=str(marker)))
    running.await_that(marker.exists)
    running.kill()
    assert list(folder.glob("*.tmp"))
    again = start_training(folder).wait()
    assert "(epoch 2 @ 14 updates)" in again.stdout
    assert_same_end(again, folder)
    assert not list(folder.glob("*.tmp"))


@pytest.mark.slow
def test_stock_fairseq_cannot_go_on_after_a_kill_during_the_copy(
    start_training: Callable[..., Any], repo_root: Path, tmp_path: Path
) -> None:
    marker, folder = tmp_path / "half written", tmp_path / "run"
    stock = STOCK_COPY.format(root=str(repo_root))
    running = start_training(
        folder, before=SLOW_COPY.format(marker=str(marker)) + stock
    )
    running.await_that(marker.exists)
    running.kill()
    start_training(folder).wait().assert_refused("damaged")


@pytest.mark.slow
def test_a_finished_training_is_left_as_it_is(
    start_training: Callable[..., Any], tmp_path: Path
) -> None:
    """fairseq alone would train it for one update more."""
    start_training(tmp_path).wait()
    before = (tmp_path / "checkpoint_last.pt").read_bytes()
    again = start_training(tmp_path).wait()
    assert again.returncode == 0, str(again)
    assert "nothing to train: 33 of 33 updates are done" in again.stdout
    assert (tmp_path / "checkpoint_last.pt").read_bytes() == before
