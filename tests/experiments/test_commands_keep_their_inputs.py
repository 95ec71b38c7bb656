"""No command replaces a file that it reads."""

from pathlib import Path

import pytest

from alone_experiments import cli
from alone_experiments.mistakes import Mistake

COMMANDS = {
    "average": "--inputs {kept} {other} --output {kept}",
    "average --moving": "--inputs {kept} --output {kept}",
    "export": "{kept} --to checkpoint --output {kept}",
    "bleu --generated": "{kept} --reference {other} --json {kept}",
    "bleu --reference": "{kept} --generated {other} --output {kept}",
    "rouge --system": "{other} --references {kept} --per-line {kept}",
    "rouge --references": "{other} --system {kept} --json {kept}",
    "rerank --source": "{kept} --generated {other} --output {kept}",
    "word-f1": "{other} {other} --training {kept} --json {kept}",
    "similarity": "{other} --pairs {kept} --json {kept}",
    "analogy": "{kept} --questions {other} --json {kept}",
    "overlap": "{kept} {other} --counts {other} --json {kept}",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_an_input_is_not_replaced(command: str, tmp_path: Path) -> None:
    files = {name: tmp_path / f"{name}.txt" for name in ("kept", "other")}
    for file in files.values():
        file.write_text("a b 1\n")
    words = f"{command} {COMMANDS[command]}".format(**files).split()
    with pytest.raises(Mistake, match=r"kept\.txt: would replace what it is made of"):
        cli.main(words)
    assert files["kept"].read_text() == "a b 1\n"


def test_two_outputs_are_two_files(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("a\n")
    given = f"--system {text} --references {text}x".split()
    both = f"--json {tmp_path}/out --per-line {tmp_path}/out".split()
    with pytest.raises(Mistake, match="out: is given twice"):
        cli.main(["rouge", *given, *both])
