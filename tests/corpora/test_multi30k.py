"""data-prep/multi30k.sh: given files, downloads that go wrong, kills, and real data."""

import gzip
import hashlib
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.corpora.loopback_server import Server
from tests.corpora.tiny_multi30k import NAMES, Corpus, text_of


@pytest.fixture
def corpus(tmp_path: Path, repo_root: Path) -> Corpus:
    return Corpus(tmp_path, repo_root)


@pytest.fixture
def warm(corpus: Corpus, warm_venv: Path) -> None:
    """Let fairseq's commands of the corpus start faster."""
    corpus.venv = warm_venv


@pytest.fixture
def server(corpus: Corpus, loopback: Server) -> Server:
    """A server that has the corpus and cannot send a part of a file."""
    for name in NAMES:
        content = gzip.compress((corpus.given / name).read_bytes())
        loopback.files[f"{name}.gz"] = content
    loopback.ranges = loopback.tags = False
    return loopback


def cut(server: Server, name: str) -> None:
    """Let the connection drop in the middle of one file, and of no other."""
    server.drop_after = {name: len(server.files[name]) // 2}


def test_experiment_for_a_cpu_shares_the_corpus_or_keeps_its_own(
    corpus: Corpus,
) -> None:
    package = corpus.root / "alone_experiments"
    package.joinpath("__main__.py").write_text("import sys; print(*sys.argv[1:])")
    data = corpus.root / "made" / "data"
    own = data / "multi30k_cpu"

    def words() -> list[str]:
        return subprocess.run(
            ["bash", "data-prep/multi30k_cpu.sh", "--from", "given"],
            cwd=corpus.root,
            env={**os.environ, "ALONE_OUTPUT": f"{corpus.root}/made"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()

    assert words() == ["prepare", "multi30k", "--from", "given"]
    own.mkdir(parents=True)
    (own / "prepared").touch()
    assert words() == ["prepare", "multi30k", "--output", str(own), "--from", "given"]


def test_missing_file_is_named_with_all_that_are_needed(corpus: Corpus) -> None:
    (corpus.given / "val.de").unlink()
    message = corpus.error("--from", corpus.given)
    assert f"error: {corpus.given} has no file val.de or val.de.gz; it needs" in message
    assert all(name in message for name in NAMES)


def test_given_file_that_is_not_the_published_one(corpus: Corpus) -> None:
    content = (corpus.given / "val.en").read_bytes() + b"one more\n"
    (corpus.given / "val.en").write_bytes(content)
    message = corpus.error("--from", corpus.given)
    assert "val.en from" in message
    assert hashlib.sha256(content).hexdigest() in message
    assert corpus.raw() == {"train.en", "train.de"}


def test_missing_folder(corpus: Corpus) -> None:
    assert "--from: no folder /nowhere" in corpus.error("--from", "/nowhere")


def test_missing_download_is_named(corpus: Corpus, server: Server) -> None:
    del server.files["train.de.gz"]
    message = corpus.error("--url", server.url)
    missing = f"{server.url}/train.de.gz: the server answered 404"
    assert f"error: {missing} Not Found; run this again, or give the" in message
    assert corpus.raw() == {"train.en"}


def test_dropped_connection_then_the_same_command(
    corpus: Corpus, server: Server
) -> None:
    cut(server, "val.en.gz")
    assert "/val.en.gz: the connection broke off" in corpus.error("--url", server.url)
    assert {"train.en", "train.de"} <= corpus.raw()
    cut(server, "test_2016_flickr.de.gz")
    server.requests.clear()
    broken = "/test_2016_flickr.de.gz: the connection broke off"
    assert broken in corpus.error("--url", server.url)
    asked = {name for name, _ in server.requests}
    assert not {"train.en.gz", "train.de.gz"} & asked


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(b"other text\n"), "train.de from .* is not the published file"),
        (b"<html>Please log in</html>", "train.de.gz is damaged"),
        (gzip.compress(text_of("train.de").encode())[:-9], "train.de.gz is damaged"),
    ],
    ids=["other text", "a web page", "cut off"],
)
def test_download_of_something_else(
    corpus: Corpus, server: Server, content: bytes, message: str
) -> None:
    server.files["train.de.gz"] = content
    assert re.search(message, corpus.error("--url", server.url))
    assert "train.de" not in corpus.raw()


def test_nobody_answers(corpus: Corpus) -> None:
    message = corpus.error("--url", "http://127.0.0.1:9/raw")
    assert "or give the files with --from DIR" in message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--from"], "argument --from: expected one argument"),
        (["--merges", "5"], "unrecognized arguments: --merges 5"),
    ],
)
def test_bad_arguments(corpus: Corpus, options: list[str], message: str) -> None:
    assert message in corpus.error(*options)


@pytest.mark.slow
@pytest.mark.usefixtures("warm")
def test_downloaded_and_given_files_come_out_the_same(
    corpus: Corpus, server: Server
) -> None:
    assert corpus.run("--url", server.url)[0] == 0
    downloaded = (corpus.output / "bin" / "train.en-de.de.bin").read_bytes()
    shutil.rmtree(corpus.output)
    for name in NAMES[:3]:  # some compressed, some not
        compressed = gzip.compress((corpus.given / name).read_bytes())
        (corpus.given / f"{name}.gz").write_bytes(compressed)
        (corpus.given / name).unlink()
    assert corpus.run("--from", corpus.given)[0] == 0
    assert (corpus.output / "bin" / "train.en-de.de.bin").read_bytes() == downloaded
    status, errors = corpus.run()
    assert status == 0
    assert "is prepared already" in errors


@pytest.mark.slow
@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize(
    "file", ["lock", "raw/train.en", "bpe/codes", "steps/segmentation.json"]
)
def test_killed_at_any_moment_the_same_command_finishes(
    corpus: Corpus, file: str
) -> None:
    process = corpus.start("--from", corpus.given)
    while not (corpus.output / file).exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.002)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert not (corpus.output / "prepared").exists()
    status, errors = corpus.run("--from", corpus.given)
    assert status == 0, errors
    assert (corpus.output / "prepared").exists()
    assert len(list((corpus.output / "bin").glob("*.bin"))) == 6
    assert not list(corpus.output.glob("**/*partial*"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("valid.de", b"nur eine Zeile\n", "valid.* differ in their number of lines"),
        ("test.en", b"", "test.en is missing or empty"),
        ("valid.de", b"ein\n" * 29 + b"Stra\xdfe\n", "valid.de line 30 is not UTF-8"),
        ("train.de", b"Stra\xdfe\n" * 30, "0 of 30 training pairs stay"),
    ],
    ids=["not parallel", "empty", "not UTF-8", "no pair is UTF-8"],
)
def test_bad_raw_text(corpus: Corpus, file: str, content: bytes, message: str) -> None:
    raw = corpus.output / "raw"
    raw.mkdir(parents=True)
    for name in NAMES:
        part = name.replace("val.", "valid.").replace("test_2016_flickr.", "test.")
        (raw / part).write_text(text_of(name))
    (raw / file).write_bytes(content)
    script = corpus.root / "data-prep" / "prepare_bpe.sh"
    command = ["bash", str(script), "--output", str(corpus.output)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert re.search(message, done.stderr.splitlines()[-1])
    assert not (corpus.output / "bin").exists()


@pytest.mark.slow
def test_the_real_corpus(
    shared_data: Callable[[str], Path], repo_root: Path, tmp_path: Path
) -> None:
    script = repo_root / "data-prep" / "multi30k.sh"
    options = ["--from", str(shared_data("multi30k")), "--output", str(tmp_path)]
    subprocess.run(["bash", str(script), *options], check=True, capture_output=True)
    dictionary = (tmp_path / "bin" / "dict.de.txt").read_text().splitlines()
    assert len(dictionary) + 4 == 9800
    log = (tmp_path / "bin" / "preprocess.log").read_text()
    for part, pairs in (("train", 29000), ("valid", 1014), ("test", 1000)):
        for language in ("en", "de"):
            assert f"{part}.{language}: {pairs} sents" in log
    assert log.count(" 0.0% replaced (by <unk>)") == 6
