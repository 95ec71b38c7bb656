"""Commands whose standard output is full or closed end in one line, or in none."""

import os
import subprocess
import sys

import pytest

from alone_experiments.mistakes import Mistake, exit_status, in_one_line

COMMAND = [sys.executable, "-m", "alone_experiments"]
BUFFERED = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
COMMANDS = [
    ["--help"],
    ["characters"],
    ["rouge", "--help"],
    pytest.param(["params"], marks=pytest.mark.slow),
]


@pytest.mark.parametrize("words", COMMANDS)
def test_a_full_output_is_told_in_one_line(words: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, *words],
            input="a line\n",
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=BUFFERED,
        )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1, done.stderr
    start = (
        "alone-fairseq: error: cannot write standard output: No space left on device"
    )
    assert done.stderr.startswith(start)


@pytest.mark.parametrize("words", COMMANDS)
def test_a_reader_that_has_enough_is_no_error(words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*COMMAND, *words],
        input="a line\n" * 5000,
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        env=BUFFERED,
    )
    os.close(writer)
    assert done.stderr == ""
    assert done.returncode == 0


def test_a_closed_output_is_told() -> None:
    line = ["sh", "-c", '"$@" <&- >&-', "sh", *COMMAND, "characters"]
    done = subprocess.run(line, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr.endswith("standard input or output is closed: give both\n")
    assert done.stderr.count("\n") == 1


def test_a_line_feed_in_a_word_makes_no_second_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail() -> None:
        raise Mistake("the word 'a\nb\x1b[31m\u2028é' is odd")

    assert exit_status(fail) == 1
    line = r"alone-fairseq: error: the word 'a\nb\x1b[31m\u2028é' is odd" + "\n"
    assert capsys.readouterr().err == line


def test_a_long_word_is_cut_in_its_middle() -> None:
    line = in_one_line(f"file, line 1: {'x' * 5000} is no flag: write --flag")
    assert line.startswith("file, line 1: xxx")
    assert line.endswith("xxx is no flag: write --flag")
    assert len(line) < 1000
