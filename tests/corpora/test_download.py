"""corpora/download.py: cut-off downloads are carried on, never mixed up."""

import random
from pathlib import Path

import pytest

from alone_experiments import mistakes
from alone_experiments.corpora import download
from tests.corpora.loopback_server import Server

CONTENT = random.Random(1).randbytes(100_000)


@pytest.fixture
def server(loopback: Server) -> Server:
    loopback.files["a.tgz"] = CONTENT
    return loopback


def fetch(server: Server, target: Path, name: str = "a.tgz") -> None:
    download.download(f"{server.url}/{name}", target, pause=0)


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def test_whole_file_and_nothing_beside_it(server: Server, tmp_path: Path) -> None:
    fetch(server, tmp_path / "new" / "a.tgz")
    assert (tmp_path / "new" / "a.tgz").read_bytes() == CONTENT
    assert names(tmp_path / "new") == {"a.tgz"}


def test_dropped_connections_are_carried_on(server: Server, tmp_path: Path) -> None:
    server.drop_after["a.tgz"] = 30_000
    fetch(server, tmp_path / "a.tgz")
    assert (tmp_path / "a.tgz").read_bytes() == CONTENT
    assert [start for _, start in server.requests] == [0, 30_000, 60_000, 90_000]


def test_server_without_ranges_sends_all_again(server: Server, tmp_path: Path) -> None:
    server.ranges = False
    server.drop_after["a.tgz"] = 30_000
    with pytest.raises(mistakes.Mistake, match="30000 of 100000 bytes, 4 times; run"):
        fetch(server, tmp_path / "a.tgz")
    assert not (tmp_path / "a.tgz").exists()
    server.drop_after.clear()
    fetch(server, tmp_path / "a.tgz")
    assert (tmp_path / "a.tgz").read_bytes() == CONTENT


def test_a_later_run_carries_on(server: Server, tmp_path: Path) -> None:
    server.drop_after["a.tgz"] = 0
    target = tmp_path / "a.tgz"
    target.with_name("a.tgz.partial").write_bytes(CONTENT[:40_000])
    target.with_name("a.tgz.version").write_text(server._tag("a.tgz"))
    with pytest.raises(mistakes.Mistake, match="40000 of 100000 bytes"):
        fetch(server, target)
    server.drop_after.clear()
    fetch(server, target)
    assert target.read_bytes() == CONTENT
    assert server.requests[-1] == ("a.tgz", 40_000)


@pytest.mark.parametrize("tags", [True, False])
def test_changed_file_is_not_mixed_with_the_old_one(
    server: Server, tmp_path: Path, tags: bool
) -> None:
    server.tags = tags
    server.files["a.tgz"] = CONTENT[::-1]
    server.drop_after["a.tgz"] = 30_000
    server.ranges = False
    with pytest.raises(mistakes.Mistake):
        fetch(server, tmp_path / "a.tgz")
    server.ranges, server.files["a.tgz"] = True, CONTENT
    server.drop_after.clear()
    fetch(server, tmp_path / "a.tgz")
    assert (tmp_path / "a.tgz").read_bytes() == CONTENT


def test_more_than_there_is_begins_again(server: Server, tmp_path: Path) -> None:
    (tmp_path / "a.tgz.partial").write_bytes(CONTENT + b"more")
    (tmp_path / "a.tgz.version").write_text(server._tag("a.tgz"))
    fetch(server, tmp_path / "a.tgz")
    assert (tmp_path / "a.tgz").read_bytes() == CONTENT


def test_busy_server_is_asked_again(server: Server, tmp_path: Path) -> None:
    server.refusals["a.tgz"] = [503, 429, 500]
    fetch(server, tmp_path / "a.tgz")
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("{url}/b.tgz", "b.tgz: the server answered 404 Not Found"),
        ("http://127.0.0.1:9/a.tgz", "127.0.0.1:9/a.tgz: .*refused"),
        ("mirror/a.tgz", "mirror/a.tgz is no address"),
    ],
)
def test_what_another_try_would_not_mend(
    server: Server, tmp_path: Path, address: str, message: str
) -> None:
    with pytest.raises(mistakes.Mistake, match=message):
        download.download(address.format(url=server.url), tmp_path / "a", pause=99)
    assert len(server.requests) <= 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_full_disk(server: Server, tmp_path: Path) -> None:
    (tmp_path / "a.tgz.partial").symlink_to("/dev/full")
    with pytest.raises(mistakes.Mistake, match=r"a\.tgz.*No space left.*make room"):
        fetch(server, tmp_path / "a.tgz")
    assert not (tmp_path / "a.tgz").exists()
