"""data-prep/wordsim.sh and data-prep/glove.sh."""

import gzip
import io
import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.corpora.loopback_server import Server


@pytest.fixture
def run(repo_root: Path) -> Callable[..., tuple[int, str]]:
    """A function that runs a script; exit status and what it said."""

    def run(script: str, *options: object) -> tuple[int, str]:
        done = subprocess.run(
            ["bash", str(repo_root / "data-prep" / script), *map(str, options)],
            env={**os.environ, "no_proxy": "*"},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        return done.returncode, done.stderr

    return run


def test_test_sets_from_a_folder(
    run: Callable[..., tuple[int, str]],
    shared_data: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    given, made = tmp_path / "given", tmp_path / "made"
    shutil.copytree(shared_data("wordsim"), given)
    options = ("--from", given, "--output", made)
    assert run("wordsim.sh", *options)[0] == 0
    names = {"simlex-999.txt", "wordsim-353.txt", "rg-65.txt", "men.txt", "rw.txt"}
    assert {path.name for path in made.iterdir()} - {"lock"} == names
    assert len((made / "men.txt").read_text().splitlines()) == 3000
    # What is there and right is not fetched again; what is wrong is not taken.
    (given / "EN-RG-65.txt").chmod(0o600)
    (given / "EN-RG-65.txt").write_text("gem\tjewel\t3.94\n")
    assert run("wordsim.sh", *options)[0] == 0
    (made / "rg-65.txt").unlink()
    status, said = run("wordsim.sh", *options)
    assert status == 1
    assert "EN-RG-65.txt" in said.splitlines()[-1]
    assert "is not the published file: its SHA-256 is" in said.splitlines()[-1]
    assert not (made / "rg-65.txt").exists()


def test_test_sets_that_are_not_there(
    run: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    status, said = run("wordsim.sh", "--from", tmp_path, "--output", tmp_path / "out")
    assert (status, said.count("\n")) == (1, 1)
    assert "has no file EN-SIMLEX-999.txt" in said
    # Port 9 discards: nothing answers there.
    url = ("--url", "http://127.0.0.1:9", "--output", tmp_path / "out")
    status, said = run("wordsim.sh", *url)
    assert status == 1
    assert "run this again, or give the files with --from DIR" in said.splitlines()[-1]


LINE = " 0.5" * 300 + "\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"the{LINE}of{LINE}", "it has 2 lines, not 400000"),
        (f"the{LINE}of 0.5\n", "line 2 has 2 fields, not 301"),
        (f"of{LINE}", "line 1 is of the word of"),
    ],
)
@pytest.mark.parametrize("kind", ["txt", "gz", "zip"])
def test_other_vectors_are_refused(
    kind: str,
    text: str,
    message: str,
    run: Callable[..., tuple[int, str]],
    tmp_path: Path,
) -> None:
    name = "glove.6B.300d.txt"
    if kind == "txt":
        (tmp_path / name).write_text(text)
    elif kind == "gz":
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    else:
        with zipfile.ZipFile(tmp_path / "glove.6B.zip", "w") as archive:
            archive.writestr(name, text)
    made = tmp_path / "made"
    status, said = run("glove.sh", "--from", tmp_path, "--output", made)
    assert status == 1
    assert f"is not the published file: {message}" in said.splitlines()[-1]
    assert not (made / name).exists()


def test_a_damaged_archive(run: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    (tmp_path / "glove.6B.zip").write_bytes(b"PK\x03\x04 cut off")
    status, said = run("glove.sh", "--from", tmp_path, "--output", tmp_path / "made")
    assert status == 1
    assert "is damaged or has no glove.6B.300d.txt" in said.splitlines()[-1]


def test_a_download_that_breaks_off_is_carried_on(
    run: Callable[..., tuple[int, str]], tmp_path: Path, loopback: Server
) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as files:
        files.writestr("glove.6B.300d.txt", f"the{LINE}of 1\n")
    loopback.files["glove.6B.zip"] = archive.getvalue()
    loopback.drop_after["glove.6B.zip"] = 1000
    url = f"{loopback.url}/glove.6B.zip"
    status, said = run("glove.sh", "--url", url, "--output", tmp_path / "made")
    assert status == 1
    assert "is not the published file: line 2 has 2 fields" in said.splitlines()[-1]
    starts = [start for _, start in loopback.requests]
    assert starts[:2] == [0, 1000]


def test_downloaded_pairs_are_checked(
    run: Callable[..., tuple[int, str]], tmp_path: Path, loopback: Server
) -> None:
    loopback.files["EN-SIMLEX-999.txt"] = b"old new 1.58\n"
    made = tmp_path / "made"
    status, said = run("wordsim.sh", "--url", loopback.url, "--output", made)
    assert status == 1
    assert "EN-SIMLEX-999.txt from" in said.splitlines()[-1]
    assert "is not the published file" in said.splitlines()[-1]
    assert not (made / "simlex-999.txt").exists()


def test_vectors_that_are_there_are_left(
    run: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    (tmp_path / "glove.6B.300d.txt").write_text("checked before\n")
    assert run("glove.sh", "--output", tmp_path)[0] == 0
    assert run("glove.sh", "--from", tmp_path / "no")[0] == 1
