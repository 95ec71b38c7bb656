"""Files of tensors where there is no room for them, and what they must not hold."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch

from alone_experiments.mistakes import Mistake
from alone_experiments.tensor_files import write_tensors
from alone_experiments.training.average import average
from alone_fairseq.errors import AloneError

STATE = {"model": {"weight": torch.ones(500, 10)}}


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """Let files have at most as many bytes, as a quota does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("size", [0, 1, 500, 5_000, 20_000])
def test_without_room_nothing_is_left_and_the_reason_is_told(
    size: int, tmp_path: Path
) -> None:
    with room_for(size), pytest.raises(Mistake) as caught:
        write_tensors(tmp_path / "a.pt", STATE)
    assert str(caught.value).startswith(f"cannot write {tmp_path / 'a.pt'}: File too l")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("place", ["folder", "file/a.pt", "/proc/nothing/a.pt"])
def test_a_path_that_cannot_be_is_told(place: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(Mistake, match="cannot write"):
        write_tensors(tmp_path / place, STATE)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_values_that_are_no_numbers_are_not_averaged(tmp_path: Path) -> None:
    write_tensors(tmp_path / "a.pt", STATE)
    write_tensors(
        tmp_path / "b.pt", {"model": {"weight": torch.full((500, 10), 1e400)}}
    )
    files = [tmp_path / "a.pt", tmp_path / "b.pt"]
    with pytest.raises(AloneError, match=r"b\.pt: 'model\.weight' holds values"):
        average(files)
