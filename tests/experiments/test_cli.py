"""The ``alone-fairseq`` command."""

import re
from pathlib import Path

import pytest

import alone_fairseq
from alone_experiments import cli


def test_user_dir_is_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["user-dir"])
    printed = Path(capsys.readouterr().out.strip())
    assert printed == Path(alone_fairseq.__file__).parent


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["--help"])
    assert ended.value.code == 0
    out = capsys.readouterr().out
    for command in ("user-dir", *cli.TOOLS, *cli.FAIRSEQ_COMMANDS):
        assert re.search(rf"\b{command}\b", out)


@pytest.mark.parametrize("command", cli.TOOLS)
def test_every_command_has_help(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main([command, "--help"])
    assert ended.value.code == 0
    assert "usage: alone-fairseq" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [[], ["trian"], ["params", "--no-such-flag"], ["codes"], ["sentiment", "lern"]],
)
def test_bad_command_lines_are_refused(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(words)
    assert ended.value.code == 2
    assert "error:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("trian-row", "no command trian-row, but train-row; see --help"),
        ("eval", "no command eval, but evaluate-row; see --help"),
        ("xyz", "no command xyz; see --help"),
    ],
)
def test_a_misspelt_command_is_answered_with_the_nearest(
    name: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        cli.main([name])
    assert capsys.readouterr().err == f"alone-fairseq: error: {told}\n"


def test_params_through_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["params", "--vocabulary", "32768", "--alone-inter-dim", "8192"])
    assert "8,389,120" in capsys.readouterr().out


def test_lists_of_names_need_one(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["analogy", "vectors", "--questions", "q", "--sections", ","])
    assert "--sections: must be names with commas" in capsys.readouterr().err
