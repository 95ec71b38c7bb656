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


@pytest.mark.parametrize("words", [[], ["trian"], ["params", "--no-such-flag"]])
def test_bad_command_lines_are_refused(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(words)
    assert ended.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_a_misspelt_command_is_answered_with_all(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        cli.main(["trian"])
    message = capsys.readouterr().err
    for command in ("user-dir", *cli.TOOLS, *cli.FAIRSEQ_COMMANDS):
        assert command in message.split("choose from")[1]


def test_params_through_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["params", "--vocabulary", "32768", "--alone-inter-dim", "8192"])
    assert "8,389,120" in capsys.readouterr().out
