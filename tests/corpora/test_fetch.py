"""corpora/archives.py: raw text out of WMT's archives, or why not."""

import hashlib
import shutil
from pathlib import Path

import pytest
from sacrebleu.dataset import DATASETS
from sacrebleu.dataset.fake_sgml import FakeSGMLDataset

from alone_experiments import mistakes, steps
from alone_experiments.corpora import archives, description, extraction, fetch
from tests.corpora.loopback_server import Server
from tests.corpora.reduced_mirror import NEWS, make_mirror, sgml, tgz

TRAIN = [(f"Line {i}\u2028 & more.", f"Zeile {i}\r und \u0085mehr.") for i in range(10)]
VALID = [(f'"A  {i}" &amp; b', f"„A“ {i} ") for i in range(4)]
TEST = [(f"Good {i}", f"Gut {i}") for i in range(3)]
EUROPARL = "training-parallel-europarl-v7.tgz"


class Mirror:
    """A reduced mirror, and a folder for the corpus."""

    def __init__(self, folder: Path, checksums: bool = True) -> None:
        self.files, self.output = folder / "mirror", folder / "corpus"
        self.catalogue = make_mirror(self.files, TRAIN, VALID, TEST, checksums)

    def fetch(self, given: bool = True, mirror: str | None = None) -> None:
        source = fetch.Source(
            self.output / "downloads", self.files if given else None, mirror
        )
        done = steps.Steps(self.output / "steps", self.output / "prepared")
        known = description.read_archives(self.catalogue)
        archives.extract_all(known, self.output / "raw", source, done)

    def error(self, given: bool = True, mirror: str | None = None) -> str:
        with pytest.raises(mistakes.Mistake) as caught:
            self.fetch(given, mirror)
        return str(caught.value)

    def raw(self, name: str) -> list[str]:
        return (self.output / "raw" / name).read_bytes().decode().split("\n")[:-1]

    def serve(self, server: Server) -> str:
        for file in self.files.glob("*.tgz"):
            server.files[file.name] = file.read_bytes()
        return server.url


@pytest.fixture
def mirror(tmp_path: Path) -> Mirror:
    return Mirror(tmp_path)


@pytest.fixture
def unknown(tmp_path: Path) -> Mirror:
    """A mirror whose catalogue knows no checksum."""
    return Mirror(tmp_path, checksums=False)


def test_text_of_all_archives_in_order(mirror: Mirror) -> None:
    mirror.fetch()
    assert (
        list(zip(mirror.raw("train.en"), mirror.raw("train.de"), strict=True)) == TRAIN
    )
    # White space as sacreBLEU has it.
    assert mirror.raw("valid.en")[0] == '"A 0" &amp; b'
    assert mirror.raw("valid.de")[3] == "„A“ 3"
    assert list(zip(mirror.raw("test.en"), mirror.raw("test.de"), strict=True)) == TEST


def test_done_is_done_even_without_the_archives(mirror: Mirror) -> None:
    mirror.fetch()
    before = (mirror.output / "raw" / "train.en").stat().st_mtime_ns
    shutil.copy(mirror.catalogue, mirror.output)
    shutil.rmtree(mirror.files)
    mirror.catalogue = mirror.output / "catalogue.toml"
    mirror.fetch(given=False)
    assert (mirror.output / "raw" / "train.en").stat().st_mtime_ns == before


def test_all_that_is_missing_is_listed(mirror: Mirror) -> None:
    for name in (EUROPARL, "wmt13-test.tgz"):
        (mirror.files / name).unlink()
    message = mirror.error()
    assert message.startswith("2 of 5 archives are missing or wrong;")
    assert f"{mirror.files} has no file {EUROPARL}; it is http" in message
    assert "has no file wmt13-test.tgz; it is" in message


def test_all_that_the_server_lacks_is_listed(mirror: Mirror, loopback: Server) -> None:
    url = mirror.serve(loopback)
    del loopback.files[EUROPARL], loopback.files["wmt14-test-full.tgz"]
    message = mirror.error(given=False, mirror=url)
    assert "2 of 5 archives" in message
    assert f"{EUROPARL}: the server answered 404" in message
    loopback.requests.clear()
    mirror.serve(loopback)
    mirror.fetch(given=False, mirror=url)
    assert len(mirror.raw("train.de")) == len(TRAIN)
    # What was there already is not downloaded again.
    assert {name for name, _ in loopback.requests} == {EUROPARL, "wmt14-test-full.tgz"}


def test_given_file_of_the_wrong_size_or_checksum(mirror: Mirror) -> None:
    file = mirror.files / EUROPARL
    content = file.read_bytes()
    file.write_bytes(content[:-1])
    assert f"{len(content) - 1} bytes, and the published file" in mirror.error()
    file.write_bytes(content[:-1] + b"x")
    assert "its SHA256 is" in mirror.error()
    assert file.exists()


def test_downloaded_file_that_is_wrong_is_removed(
    mirror: Mirror, loopback: Server
) -> None:
    url = mirror.serve(loopback)
    right = loopback.files[EUROPARL]
    loopback.files[EUROPARL] = right[::-1]
    message = mirror.error(given=False, mirror=url)
    assert "its SHA256 is" in message
    assert "it was removed; run the same command again" in message
    loopback.files[EUROPARL] = right
    mirror.fetch(given=False, mirror=url)
    assert len(mirror.raw("train.de")) == len(TRAIN)


def test_unknown_checksum_is_kept_and_checked(unknown: Mirror) -> None:
    unknown.fetch()
    file = unknown.files / EUROPARL
    recorded = unknown.output / "downloads" / f"{EUROPARL}.sha256"
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    assert recorded.read_text() == f"{digest}  {EUROPARL}\n"
    (unknown.output / "raw" / "train.en").unlink()
    content = file.read_bytes()
    tgz(file, {"another": "file"})
    assert (
        f"not the file of the first run, of which {recorded} tells" in unknown.error()
    )
    file.write_bytes(content)
    unknown.fetch()


def test_recording_a_checksum_does_not_do_the_work_twice(unknown: Mirror) -> None:
    unknown.fetch()
    before = (unknown.output / "raw" / "train.en").stat().st_mtime_ns
    unknown.fetch()
    assert (unknown.output / "raw" / "train.en").stat().st_mtime_ns == before


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[: len(content) // 2],
        lambda content: content[:-8],
        lambda content: content[:-8] + b"\0" * 8,
        lambda _: b"<html>Please log in</html>",
        lambda _: b"",
    ],
    ids=["half", "no checksum", "wrong checksum", "a web page", "empty"],
)
def test_damaged_archive(
    unknown: Mirror, loopback: Server, damage: "type[bytes]"
) -> None:
    url = unknown.serve(loopback)
    right = loopback.files[EUROPARL]
    loopback.files[EUROPARL] = damage(right)
    message = unknown.error(given=False, mirror=url)
    assert f"{EUROPARL} is damaged" in message
    assert "it was removed" in message
    assert not list(unknown.output.glob("raw/train*"))
    loopback.files[EUROPARL] = right
    unknown.fetch(given=False, mirror=url)
    assert len(unknown.raw("train.de")) == len(TRAIN)


def test_texts_that_are_not_parallel(unknown: Mirror) -> None:
    stem = f"{NEWS}/news-commentary-v11.de-en"
    tgz(unknown.files / f"{NEWS}.tgz", {f"{stem}.en": "a\nb\n", f"{stem}.de": "a\n"})
    message = unknown.error()
    assert f"{NEWS}.tgz is not parallel: " in message
    assert f"{stem}.en has 2 lines, {stem}.de has 1 lines" in message
    assert not list(unknown.output.glob("raw/*"))


def test_missing_language(unknown: Mirror) -> None:
    stem = f"{NEWS}/news-commentary-v11.de-en"
    tgz(unknown.files / f"{NEWS}.tgz", {f"{stem}.en": "a\n"})
    assert f"{NEWS}.tgz has no file {stem}.de" in unknown.error()


def test_wrong_number_of_sentences(unknown: Mirror) -> None:
    text = unknown.catalogue.read_text().replace(
        'part = "test"', 'part = "test"\npairs = 4'
    )
    unknown.catalogue.write_text(text)
    assert "wmt14-test-full.tgz has 3 pairs, and the published 4" in unknown.error()


def test_last_line_without_its_end_stays_a_line(unknown: Mirror) -> None:
    tgz(
        unknown.files / EUROPARL,
        {
            "./training/europarl-v7.de-en.de": "eins\nzwei",
            "./training/europarl-v7.de-en.en": "one\ntwo\n",
        },
    )
    unknown.fetch()
    assert unknown.raw("train.de")[:3] == ["eins", "zwei", TRAIN[4][1]]
    assert len(unknown.raw("train.de")) == len(unknown.raw("train.en"))


def test_segments_are_those_of_sacrebleu(tmp_path: Path) -> None:
    sentences = ["a  <b> c ", "&quot;x&amp;", "\u00a0d\te\u2028f", "„g“", ""]
    text = sgml(sentences)
    source, target = tmp_path / "a.sgm", tmp_path / "a.txt"
    source.write_bytes(text.encode())
    FakeSGMLDataset("x", langpairs={})._convert_format(str(source), str(target))
    with source.open("rb") as file:
        ours = [line.decode() for line in extraction.segments(file, "a.sgm")]
    assert ours == target.read_bytes().decode().split("\n")[:-1]


def test_segment_over_two_lines(tmp_path: Path) -> None:
    file = tmp_path / "a.sgm"
    file.write_bytes(b'<doc>\n<seg id="1">half\n</seg>\n')
    with (
        file.open("rb") as text,
        pytest.raises(mistakes.Mistake, match=r"a\.sgm line 2: a <seg> without"),
    ):
        list(extraction.segments(text, "a.sgm"))


def test_the_official_catalogue() -> None:
    found = {
        archive.file: archive
        for archive in description.read_archives(
            Path(__file__).resolve().parents[2] / "data-prep" / "wmt16_en_de.toml"
        )
    }
    assert [archive.part for archive in found.values()] == [
        *("train", "train", "train", "valid", "test")
    ]
    for file, name in (
        ("wmt13-test.tgz", "wmt13"),
        ("wmt14-test-full.tgz", "wmt14/full"),
    ):
        archive, published = found[file], DATASETS[name]
        assert [archive.md5] == published.md5
        assert archive.url.replace("//www.", "//") == published.data[0]
        members = [archive.members["en"], archive.members["de"]]
        assert members == published.langpairs["en-de"]
    assert [found[file].pairs for file in list(found)[3:]] == [3000, 3003]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("archive = 1", "some of the fields"),
        ("[[archive]]\nfile = 'a'\ncolour = 1", "colour"),
        ("[[archive]\n", "is no TOML file"),
        ("", "has no archive for test, train, valid"),
    ],
)
def test_bad_catalogue(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "catalogue.toml"
    file.write_text(text)
    with pytest.raises(mistakes.Mistake, match=message):
        description.read_archives(file)
    with pytest.raises(mistakes.Mistake, match="No such file"):
        description.read_archives(tmp_path / "none.toml")
