"""corpora/tokens.py: Moses' tokens, one line for one line."""

import subprocess
import sys
from pathlib import Path

import pytest

from alone_experiments import mistakes
from alone_experiments.corpora import raw_text, tokens


@pytest.mark.parametrize(
    ("line", "language", "expected"),
    [
        ("Don't „quote“.".encode(), "en", "Don &apos;t &quot; quote . &quot;"),
        ("»Ja, 1.000 %.«".encode(), "de", "&quot; Ja , 1.000 % &quot; ."),
        (b"well-known  \tthing", "en", "well-known thing"),
        (b"Windows line\r", "en", "Windows line"),
        (b"a\rb", "en", "a b"),
        ("a\u2028b\u0085c\u200bd\u00ade\ufefff\x00g".encode(), "en", "a b c d e f g"),
        (b"  \r", "en", ""),
        (b"", "en", ""),
    ],
    ids=[
        *("english", "german", "white space", "windows", "carriage return"),
        *("unprintable", "blank", "empty"),
    ],
)  # fmt: skip
def test_golden_lines(line: bytes, language: str, expected: str) -> None:
    assert tokens.tokenise_line(line, language).strip() == expected


def test_text_that_is_not_utf8_has_no_tokens() -> None:
    assert tokens.tokenise_line(b"Stra\xdfe", "de") is None


def test_same_as_the_sacremoses_command(tmp_path: Path) -> None:
    text = 'Er sagte: „Das ist\' es ...". Und (dann) ging\'s -- um 8:15!\n"A.B." usw.\n'
    command = [sys.executable, "-c", "from sacremoses.cli import cli; cli()"]
    command += ["--language", "de", "--quiet", "normalize", "tokenize"]
    theirs = subprocess.run(
        command, input=text.encode(), capture_output=True, check=True
    )
    raw, ours = tmp_path / "raw", tmp_path / "tokens"
    raw.write_text(text)
    assert tokens.tokenise_file(raw, ours, "de", 1) == []
    assert ours.read_bytes() == theirs.stdout


def test_undecodable_lines_are_empty_and_numbered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "CHUNK", 2)
    raw, output = tmp_path / "raw", tmp_path / "tokens"
    raw.write_bytes(b"one\n\xff\nthree\n\nfive \xe2\n")
    assert tokens.tokenise_file(raw, output, "en", 1) == [2, 5]
    assert output.read_bytes() == b"one\n\nthree\n\n\n"


def corpus(folder: Path, **changed: bytes) -> Path:
    """Write three parts of two languages."""
    for part in ("train", "valid", "test"):
        for language in ("en", "de"):
            text = changed.get(f"{part}_{language}", b"one\ntwo\n")
            (folder / f"{part}.{language}").write_bytes(text)
    return folder


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("train_de", b"one\n", "train.* differ.*train.en has 2, train.de 1"),
        ("valid_en", b"", r"valid\.en is missing or empty"),
        ("valid_en", b"one\n\xff\n", r"valid\.en line 2 is not UTF-8 text"),
        ("test_de", b"\r\ntwo\r\n", r"test\.de line 1 is empty"),
        ("test_de", "one\n\u2028 \u200b\n".encode(), r"test\.de line 2 is empty"),
    ],
)
def test_bad_raw_text(tmp_path: Path, file: str, content: bytes, message: str) -> None:
    raw = corpus(tmp_path, **{file: content})
    with pytest.raises(mistakes.Mistake, match=message):
        raw_text.check(raw, ("en", "de"))


def test_missing_language(tmp_path: Path) -> None:
    with pytest.raises(mistakes.Mistake, match=r"train\.fr is missing or empty"):
        raw_text.check(corpus(tmp_path), ("en", "fr"))


def test_bad_training_lines_are_left_for_the_filter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = corpus(tmp_path, train_de=b"\r\n\xff")
    assert raw_text.check(raw, ("en", "de")) == 2
    assert "train.de has carriage returns" in capsys.readouterr().err
