"""Headlines from raw text, in one command."""

import io
import random
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alone_experiments import cli
from alone_experiments.evaluation import write_headlines
from alone_experiments.evaluation.write_headlines import Order, read_orders
from alone_experiments.mistakes import Mistake

WORDS = ["storm", "bank", "falls", "rises", "vote", "city", "court", "plan", "new"]


@given(st.text(), st.integers(1, 10**6) | st.none())
def test_any_line_is_read(text: str, length: int | None) -> None:
    text = "".join(
        c for c in text if c not in "\n\r\t" and not "\ud800" <= c <= "\udfff"
    )
    line = text if length is None else f"{text}\t{length}"
    expected = [Order(text, 7 if length is None else length)]
    assert read_orders([f"{line}\n".encode()], 7, controlled=True) == expected


@pytest.mark.parametrize(
    ("line", "length", "controlled", "message"),
    [
        (b"no length\n", None, True, "line 2 has no length: put a tab"),
        (b"text\tmany\n", None, True, "line 2, after the tab: the length must be"),
        (b"text\t0\n", None, True, "line 2, after the tab: the length must be"),
        (b"text\t30\n", None, False, "line 2 has a length, and the model has no"),
        (b"caf\xe9\t30\n", None, True, "line 2 is not UTF-8"),
        (b"text\n", 30, False, "--desired-length: the model has no length control"),
    ],
)
def test_bad_lines_are_refused(
    line: bytes, length: int | None, controlled: bool, message: str
) -> None:
    first = b"a\t3\n" if controlled else b"a\n"
    with pytest.raises(Mistake, match=message):
        read_orders([first, line], length, controlled)


def test_digits_are_as_the_corpus_has_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, given = write_corpus(tmp_path / "corpus"), []

    def answer(_: object, lines: list[str]) -> list[str]:
        given.extend(lines)
        return ["u p @@@@ # # . # @@@@ s t o r m" for _ in lines]

    monkeypatch.setattr(write_headlines, "generate", answer)
    monkeypatch.setattr(write_headlines, "has_length_control", lambda _: False)
    monkeypatch.setattr(write_headlines, "language_pair", lambda _: ("a", "b"))
    for digits, headline in (("kept", "up ##.# storm"), ("masked", "up 12.5 storm")):
        (corpus / "raw" / "digits").write_text(f"{digits}\n")
        stdin = SimpleNamespace(buffer=io.BytesIO(b"Shares rose 12.5 percent\n"))
        monkeypatch.setattr("sys.stdin", stdin)
        capsys.readouterr()
        cli.main(["headlines", str(corpus), "--path", "model.pt"])
        assert capsys.readouterr().out == f"{headline}\n"
    joined = [line.replace("@@ ", "") for line in given]
    assert joined == ["shares rose 12.5 percent", "shares rose ##.# percent"]


def write_corpus(folder: Path) -> Path:
    """Prepare sources of made-up words whose first ones are the title."""
    chooser = random.Random(1)
    (folder / "raw").mkdir(parents=True)
    for part, size in (("train", 600), ("valid", 20), ("test", 20)):
        rows = [chooser.choices(WORDS, k=chooser.randint(4, 8)) for _ in range(size)]
        titles = [" ".join(row[: chooser.randint(1, 3)]) for row in rows]
        for side, lines in (("article", map(" ".join, rows)), ("title", titles)):
            text = "".join(f"{line}\n" for line in lines)
            (folder / "raw" / f"{part}.{side}").write_text(text)
    options = ["--output", str(folder), "--vocabulary", "60", "--workers", "1"]
    cli.main(["prepare", "own_headlines", *options])
    return folder


@pytest.mark.slow
def test_raw_text_becomes_headlines_of_the_desired_lengths(
    train: Callable[..., Any],
    recipe: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    corpus = write_corpus(tmp_path / "corpus")
    words = [w for w in recipe if w not in ("--source-lang", "--target-lang", "a", "b")]
    control = (
        "--task",
        "translation_with_length",
        "--length-ldpe",
        "--length-ordinary",
    )
    train(
        tmp_path / "run",
        *("--source-lang", "article", "--target-lang", "title"),
        *(*control, "--length-ordinary"),
        *("--max-update", 250, "--no-epoch-checkpoints"),
        data=corpus / "bin",
        recipe=words,
    )
    checkpoint = tmp_path / "run/checkpoint_last.pt"
    text = "Storm falls, new BANK wins\t12\n\nCity court plan rises fast\n"
    stdin = SimpleNamespace(buffer=io.BytesIO(text.encode()))
    monkeypatch.setattr("sys.stdin", stdin)
    capsys.readouterr()
    words = ["headlines", str(corpus), "--path", str(checkpoint)]
    cli.main([*words, "--desired-length", "8", "--", "--cpu", "--beam", "3"])
    first, empty, last = capsys.readouterr().out.splitlines()
    assert empty == ""
    assert abs(len(first) - 12) <= 2
    assert abs(len(last) - 8) <= 2
    assert "@@@@" not in first + last
    stdin.buffer = io.BytesIO(b"\n\nstorm\t900\n")
    with pytest.raises(Mistake, match="line 3 of the input: desired length 900 is abo"):
        cli.main([*words, "--", "--cpu"])
