"""DUC-2004 task 1: from NIST's files and from lines."""

import subprocess
from pathlib import Path

import pytest

from alone_experiments.corpora.description import find_description
from alone_experiments.corpora.headlines import duc2004, duc2004_pairs
from alone_experiments.corpora.job import Job
from alone_experiments.corpora.options import parse
from alone_experiments.mistakes import Mistake
from tests.corpora.made_up_headlines import nist

# The first sentence, without its dateline, as Treebank tokens in lower case.
SOURCE = (
    "cambodian leader hun sen on friday rejected opposition parties ' demands for talks"
    " outside the country , accusing {} of them of going `` international '' again ."
)
LONG = "x" * 130
MODEL = "m/eval/models/1/D30001.P.10.T.A.APW19981010.0240"
DOCUMENT = "m/tasks1and2/docs/d30001t/APW19981010.0240"


def test_nist_files(tmp_path: Path) -> None:
    nist(tmp_path)
    first, second = duc2004.read(tmp_path)
    assert first.source == SOURCE.format(0)
    assert second.source == SOURCE.format(1)
    assert first.references == tuple(f"Writer {w} on talks, no. 0" for w in "ACEF")


@pytest.mark.parametrize(
    ("text", "source"),
    [
        # Under 130 characters: the second sentence after a comma.
        ("Rain fell. It was cold. More.", "rain fell , it was cold ."),
        ("Rain fell", "rain fell"),
        (
            "PARIS (AP) -- Rain (hard) fell " + "x" * 120 + ".",
            f"rain -lrb- hard -rrb- fell {'x' * 120} .",
        ),
        (
            "Rain - hard rain - fell " + "x" * 120 + ".",
            f"rain - hard rain - fell {'x' * 120} .",
        ),
        (f"Rain_fell &AMP; so {LONG}", f"rain,fell so {LONG}"),
    ],
)
def test_source_line(tmp_path: Path, text: str, source: str) -> None:
    (tmp_path / "doc").write_text(f"<DOC><TEXT>\n<P>{text}</P>\n</TEXT></DOC>")
    assert duc2004.source_of(tmp_path / "doc") == source


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            "rm */eval/models/1/D30002*.C.*",
            r"0\.0240|has 3 reference headlines .* of 4",
        ),
        ("rm -r m/*/docs", "neither input.txt nor NIST's documents"),
        (f"echo '<html>' > {MODEL}", "markup"),
        (f": > {MODEL}", "is empty"),
        (f"echo x > {DOCUMENT}", "no <TEXT>"),
        (
            "printf '\\351' > m/tasks1and2/docs/d30001t/APW19981010.0240",
            "line 1 is not",
        ),
    ],
)
def test_bad_nist_files(tmp_path: Path, change: str, message: str) -> None:
    nist(tmp_path / "m")
    subprocess.run(["bash", "-c", change], cwd=tmp_path, check=True)
    with pytest.raises(Mistake, match=message) as raised:
        list(duc2004.read(tmp_path / "m"))
    assert "\n" not in str(raised.value)


def lines(folder: Path, count: int = 3) -> None:
    folder.mkdir(parents=True)
    (folder / "input.txt").write_text(
        "".join(f"source 19{i} .\r\n" for i in range(count))
    )
    for number in range(4):
        text = "".join(f"Ref {number} of 19{i}, UNESCO\n" for i in range(count))
        (folder / f"task1_ref{number}.txt").write_text(text)


def convert(given: Path, out: Path, *more: str) -> None:
    training = out.parent / "training"
    training.mkdir(exist_ok=True)
    (training / "prepared").touch()
    words = ["--from", given, "--output", out.parent, "--training", training]
    description = find_description("duc2004")
    words += ["--documents", "3", *more]
    settings = parse(description, [str(word) for word in words])
    duc2004_pairs.write_raw(Job.of(description, settings))


def test_given_lines(tmp_path: Path) -> None:
    lines(tmp_path / "given" / "DUC2004")
    convert(tmp_path / "given", tmp_path / "raw", "--digits", "mask")
    read = {
        path.name: path.read_text().splitlines()
        for path in (tmp_path / "raw").iterdir()
    }
    assert sorted(read) == [
        "test.article",
        *(f"test.ref{number}" for number in range(4)),
        "test.title",
        "test.unmasked",
    ]
    assert read["test.unmasked"][2] == "source 192 ."
    assert read["test.article"][2] == "source ### ."
    assert read["test.ref3"][2] == "Ref 3 of 192, UNESCO"
    assert read["test.title"][2] == "ref # of ### , unesco"


def test_references_in_a_folder_of_their_own(tmp_path: Path) -> None:
    lines(tmp_path / "given")
    (tmp_path / "given" / "references").mkdir()
    for path in (tmp_path / "given").glob("task1*"):
        path.rename(path.parent / "references" / path.name)
    assert len(list(duc2004.read(tmp_path / "given"))) == 3


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("task1_ref2.txt", None, r"given has no task1_ref2\.txt; it needs input\.txt"),
        ("task1_ref2.txt", b"a\nb\n", r"ref2\.txt has 2 lines, .*input\.txt 3"),
        ("task1_ref0.txt", b"a\n \nb\n", r"ref0\.txt line 2 is empty"),
        ("input.txt", b"a\n\xff\nb\n", r"input\.txt line 2 is not UTF-8"),
    ],
)
def test_bad_lines(
    tmp_path: Path, file: str, content: bytes | None, message: str
) -> None:
    lines(tmp_path / "given")
    (tmp_path / "given" / file).unlink()
    if content is not None:
        (tmp_path / "given" / file).write_bytes(content)
    with pytest.raises(Mistake, match=message) as raised:
        convert(tmp_path / "given", tmp_path / "raw")
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "raw").exists()


def test_number_of_documents(tmp_path: Path) -> None:
    lines(tmp_path / "given", 2)
    with pytest.raises(Mistake, match="has 2 documents of 3; get the rest, or say"):
        convert(tmp_path / "given", tmp_path / "raw")
