"""data-prep/wmt16_en_de.sh on a reduced mirror: real text in WMT's archives."""

import gzip
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.corpora.loopback_server import Server
from tests.corpora.reduced_mirror import make_mirror

TRAIN, OTHERS = 4000, 300  # pairs
# What Tatoeba has not: pairs that Moses' limits take out, and lines that shift others.
BAD = [
    ("word " * 251, "Wort " * 251),
    ("One", "Ein sehr langer Satz, der mit dem anderen nichts zu tun hat."),
    ("", "Nichts."),
    ("An \u2028 odd \u0085 line.\r", "Eine \r merkwürdige \x0b Zeile."),
]
OPTIONS = ("--merges", "500", "--dictionary", "512", "--workers", "2")


def read(file: Path) -> list[str]:
    content = (
        gzip.decompress(file.read_bytes())
        if file.suffix == ".gz"
        else file.read_bytes()
    )
    return content.decode().split("\n")[:-1]


class Wmt:
    """The script, a reduced mirror on the loopback, and folders for what it makes."""

    def __init__(self, folder: Path, repo_root: Path, mirror: Path, venv: Path) -> None:
        self.folder, self.mirror, self.output = folder, mirror, folder / "corpus"
        self.venv = venv
        self.script = repo_root / "data-prep" / "wmt16_en_de.sh"
        files = {file.name: file.read_bytes() for file in mirror.glob("*.tgz")}
        self.server = Server(files)

    def start(
        self, output: Path, *options: object, before: str = ""
    ) -> "subprocess.Popen[str]":
        command = ["bash", "-c", f'{before} exec bash "$@"', "-", str(self.script)]
        command += ["--mirror", self.server.url, "--output", str(output)]
        command += ["--catalogue", str(self.mirror / "catalogue.toml"), *OPTIONS]
        environment = {**os.environ, "no_proxy": "*", "ALONE_DOWNLOAD_PAUSE": "0.01"}
        if not before:  # a limit does not reach what another process forks
            environment["ALONE_VENV"] = str(self.venv)
        return subprocess.Popen(
            [*command, *map(str, options)],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, output: Path, *options: object, before: str = "") -> tuple[int, str]:
        process = self.start(output, *options, before=before)
        _, errors = process.communicate(timeout=300)
        return process.returncode, errors


@pytest.fixture(scope="module")
def pairs(shared_data: Callable[[str], Path]) -> dict[str, list[tuple[str, str]]]:
    tatoeba, newstest = shared_data("tatoeba_en_de"), shared_data("newstest")

    def sides(stem: Path, end: str, count: int) -> list[tuple[str, str]]:
        texts = [
            read(stem.with_name(f"{stem.name}.{name}{end}")) for name in ("en", "de")
        ]
        return list(zip(*texts, strict=True))[:count]

    train = sides(tatoeba / "train", ".gz", TRAIN)
    for number, bad in enumerate(BAD):
        train.insert(number * 1000 + 7, bad)
    return {
        "train": train,
        "valid": sides(newstest / "newstest2013", "", OTHERS),
        "test": sides(newstest / "newstest2014", "", OTHERS),
    }


@pytest.fixture(scope="module")
def wmt(
    tmp_path_factory: pytest.TempPathFactory,
    repo_root: Path,
    warm_venv: Path,
    pairs: dict[str, list[tuple[str, str]]],
) -> Iterator[Wmt]:
    folder = tmp_path_factory.mktemp("wmt")
    make_mirror(folder / "mirror", pairs["train"], pairs["valid"], pairs["test"])
    wmt = Wmt(folder, repo_root, folder / "mirror", warm_venv)
    yield wmt
    wmt.server.close()


@pytest.fixture(scope="module")
def prepared(wmt: Wmt) -> Path:
    """The corpus made in one go, but for connections that are dropped."""
    wmt.server.drop_after = dict.fromkeys(wmt.server.files, 20_000)
    status, errors = wmt.run(wmt.output)
    assert status == 0, errors
    wmt.server.drop_after.clear()
    return wmt.output


@pytest.mark.slow
def test_the_whole_chain(
    wmt: Wmt, prepared: Path, pairs: dict[str, list[tuple[str, str]]]
) -> None:
    starts = [start for _, start in wmt.server.requests]
    assert 0 in starts
    assert 20_000 in starts
    for part in ("valid", "test"):
        for side, language in enumerate(("en", "de")):
            expected = [" ".join(pair[side].split()) for pair in pairs[part]]
            assert read(prepared / "raw" / f"{part}.{language}") == expected
            assert len(read(prepared / "bpe" / f"{part}.{language}")) == OTHERS
    for language in ("en", "de"):
        dictionary = read(prepared / "bin" / f"dict.{language}.txt")
        assert len(dictionary) + 4 == 512
    log = (prepared / "bin" / "preprocess.log").read_text()
    kept = len(read(prepared / "bpe" / "train.en"))
    for part, count in (("train", kept), ("valid", OTHERS), ("test", OTHERS)):
        for language in ("en", "de"):
            assert f"{part}.{language}: {count} sents" in log


def words(line: str) -> str:
    return line.replace("@@ ", "").strip()


@pytest.mark.slow
def test_no_pair_is_shifted_and_few_are_left_out(
    prepared: Path, pairs: dict[str, list[tuple[str, str]]]
) -> None:
    """Follows the tokens of every input pair to what stays of them."""
    folder = prepared / "bpe"
    sides = [read(folder / f"train.tokens.{language}") for language in ("en", "de")]
    assert [len(side) for side in sides] == [len(pairs["train"])] * 2
    everything = zip(*([words(line) for line in side] for side in sides), strict=True)
    units = list(zip(read(folder / "train.en"), read(folder / "train.de"), strict=True))
    remaining = iter(everything)
    for source, target in units:
        # Consumes the input up to the pair: found only in order, both sides together.
        assert (words(source), words(target)) in remaining
        lengths = len(source.split()), len(target.split())
        assert 1 <= min(lengths) <= max(lengths) <= min(250, 1.5 * min(lengths))
    assert ("An odd line .", "Eine merkwürdige Zeile .") in {
        (words(source), words(target)) for source, target in units
    }
    assert 0.85 * TRAIN < len(units) < TRAIN


# Kills, once a file is there; and disks that are full at so many KiB a file, with the
# start of the name that is told: which file of several is first depends on how far the
# run got that was killed before.
MISHAPS: list[tuple[str, int]] = [
    ("downloads/", 20),
    ("downloads/wmt13-test.tgz", 0),
    ("raw/", 40),
    ("steps/raw.train.json", 0),
    ("bpe/train.tokens.en.partial", 0),
    ("steps/tokens.train.en.json", 0),
    ("bpe/codes.partial", 0),
    ("steps/segmentation.json", 0),
    ("bpe/train.", 200),
    ("bpe/train.en.partial", 0),
    ("bin.partial/dict.en.txt", 0),
]


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for part in ("raw", "bpe", "bin")
        for file in sorted((folder / part).iterdir())
        if file.name != "preprocess.log"  # names the folder
    }


def fill_the_disk(wmt: Wmt, output: Path, file: str, kibibytes: int) -> None:
    status, errors = wmt.run(output, before=f"ulimit -f {kibibytes};")
    assert status == 1
    assert "Traceback" not in errors
    message = errors[errors.index("error: ") :]
    assert f"{output}/{file}" in message
    assert "File too large; make room and run the same command again" in message


def kill_when_there_is(wmt: Wmt, output: Path, file: str) -> bool:
    process = wmt.start(output)
    while process.poll() is None and not (output / file).exists():
        time.sleep(0.002)
    running = process.poll() is None
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return running


@pytest.mark.slow
def test_after_kills_and_full_disks_the_same_bytes_come_out(
    wmt: Wmt, prepared: Path
) -> None:
    output, kills = wmt.folder / "mishaps", []
    for file, kibibytes in MISHAPS:
        if kibibytes:
            fill_the_disk(wmt, output, file, kibibytes)
        else:
            kills.append(kill_when_there_is(wmt, output, file))
    # The last file is there for so short a time that it may be missed.
    assert all(kills[:-1])
    status, errors = wmt.run(output)
    assert status == 0, errors
    assert contents(output) == contents(prepared)
    assert not list(output.glob("**/*partial*"))


@pytest.mark.slow
def test_the_same_command_does_nothing_and_another_setting_only_its_part(
    wmt: Wmt, prepared: Path
) -> None:
    wmt.server.requests.clear()
    status, errors = wmt.run(prepared)
    assert status == 0
    assert "is prepared already" in errors
    kept = len(read(prepared / "bpe" / "train.en"))
    _, errors = wmt.run(prepared, "--max-ratio", "2", "--max-length", "0")
    assert "tokenising" not in errors
    assert "learning" not in errors
    assert "training pairs stay" in errors
    assert len(read(prepared / "bpe" / "train.en")) > kept
    assert wmt.server.requests == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--from", "/nowhere"], "--from: no folder /nowhere"),
        (["--merge", "5"], "unrecognized arguments: --merge 5"),
        (["--workers"], "argument --workers: expected one argument"),
    ],
)
def test_bad_arguments(repo_root: Path, options: list[str], message: str) -> None:
    command = ["bash", str(repo_root / "data-prep" / "wmt16_en_de.sh"), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
