"""Files are whole or absent; what is no regular file is never replaced."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from alone_experiments.files import write_json, write_text, writing, writing_folder
from alone_experiments.mistakes import Mistake


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    (tmp_path / "target").write_text("old")
    write_text(tmp_path / "link", "new\r\n")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new\r\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "target"]


def test_a_link_to_nothing_makes_its_target(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True)
    write_json(pipe, {"a": 1})
    assert reader.communicate(timeout=20)[0] == '{\n "a": 1\n}\n'
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_standard_output_that_is_a_file_keeps_what_it_has(tmp_path: Path) -> None:
    code = (
        "from alone_experiments.files import write_text\n"
        "print('before', flush=True); write_text('/dev/stdout', 'text\\n')\n"
        "print('after')"
    )
    with (tmp_path / "out").open("w") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    assert "text\n" in (tmp_path / "out").read_text()
    assert (tmp_path / "out").read_text().endswith("after\n")


def test_a_full_device_is_told_and_stays_a_device() -> None:
    with pytest.raises(Mistake, match="cannot write /dev/full: No space left"):
        write_text("/dev/full", "text")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def test_nothing_is_left_of_what_fails(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")

    def fail() -> None:
        with writing(tmp_path / "file") as file:
            file.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "old"


def test_a_folder_is_replaced_when_it_is_whole(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    for text in ("one", "two"):
        with writing_folder(folder) as unfinished:
            (unfinished / text).write_text(text)
            assert unfinished != folder
    assert [path.name for path in folder.iterdir()] == ["two"]
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
