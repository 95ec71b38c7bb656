"""Numbers come back where they were masked."""

import argparse
import io
import os
import sys
from pathlib import Path

import pytest

from alone_experiments.mistakes import Mistake, exit_status
from alone_experiments.text import masked_digits

SOURCE = "in 1998 7.07 billion of 12 or 34 , a2 1st"


@pytest.mark.parametrize(
    ("headline", "restored"),
    [
        ("budget of #.## billion in ####", "budget of 1998 billion in 1998"),
        ("for ## men", "for 34 men"),  # the last of its length
        ("the ### time", "the 1st time"),
        ("##### no such", "##### no such"),
        ("no number a#", "no number a#"),
        ("", ""),
    ],
)
def test_the_last_number_of_the_same_length(headline: str, restored: str) -> None:
    # 7.07 and 1998 are equally long, as are #.## and ####.
    source = SOURCE.replace("1998 7.07", "7.07 1998")
    assert masked_digits.restore_digits(headline, source) == restored


def run(data: bytes, source: Path) -> bytes:
    parser = argparse.ArgumentParser()
    masked_digits.add_arguments(parser)
    out = io.BytesIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        patch.setattr(sys, "stdout", io.TextIOWrapper(out))
        masked_digits.run(parser.parse_args(["--source", str(source)]))
        return out.getvalue()


def test_command(tmp_path: Path) -> None:
    (tmp_path / "source").write_text("12 men\nno number\n")
    assert run(b"## men\n## men\n", tmp_path / "source") == b"12 men\n## men\n"


def test_a_reader_that_has_enough_is_no_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    lines = 100_000  # more than are kept before they are written
    (tmp_path / "source").write_text("12\n" * lines)
    parser = argparse.ArgumentParser()
    masked_digits.add_arguments(parser)
    args = parser.parse_args(["--source", str(tmp_path / "source")])
    reader, writer = os.pipe()
    os.close(reader)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"##\n" * lines)))
    monkeypatch.setattr(sys, "stdout", os.fdopen(writer, "w"))
    assert exit_status(lambda: masked_digits.run(args)) == 0
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"#\n", "source has 2 lines, 1 more than there are headlines"),
        (b"#\n#\n#\n", "line 3: .*source has no source for it"),
    ],
)
def test_unequal_numbers_of_lines(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "source").write_text("1\n2\n")
    with pytest.raises(Mistake, match=message):
        run(data, tmp_path / "source")
