"""data-prep/*.toml: what a description may hold, and what is told of a wrong one."""

import argparse
import subprocess
import sys
from pathlib import Path

import pytest

from alone_experiments.corpora import description, options, prepare
from alone_experiments.mistakes import Mistake

MINIMAL = 'title = "T"\nabout = "A"\nraw = "given"\nunits = "translation"\n'
CORPORA = description.corpora()


@pytest.mark.parametrize("name", CORPORA)
def test_every_corpus_has_a_script_help_and_known_chains(
    repo_root: Path, name: str
) -> None:
    found = description.find_description(name)
    scripts = "".join(
        path.read_text() for path in (repo_root / "data-prep").glob("*.sh")
    )
    assert f" prepare {name} " in scripts
    assert found.raw in prepare.RAW
    assert found.units in (None, *prepare.UNITS)
    help_text = options.make_parser(found).format_help()
    assert found.about.strip() in help_text
    assert all(f"--{option}" in help_text for option in found.options)


def test_all_bash_of_the_corpora_is_short(repo_root: Path) -> None:
    scripts = list((repo_root / "data-prep").glob("*.sh"))
    assert len(scripts) == 14
    assert max(len(path.read_text().splitlines()) for path in scripts) <= 15


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("about = 1", r"c\.toml: .*title.*some of the fields path, title"),
        (f"{MINIMAL}colour = 1", r"colour.*some of the fields"),
        (f"{MINIMAL}[settings]\ncolour = 1", r"c\.toml: no setting colour"),
        (
            f"{MINIMAL}[settings]\nmerges = 0",
            "merges: must be a whole number from 1, not 0",
        ),
        (f"{MINIMAL}[settings]\ndictionary = 9", "dictionary: 9 is not a multiple of"),
        (f"{MINIMAL}[settings]\nmax-ratio = 0.5", "0.5 is not 0, and not 1 or more"),
        (f"{MINIMAL}[[text]]\nname = 'a'", r"'to'; each \[\[text\]\] has some of"),
        (f"{MINIMAL}text = [1]", r"each \[\[text\]\] has some of the fields name, to"),
        (f"{MINIMAL}licence = 1", r"c\.toml: licence must be a string, not 1"),
        (f"{MINIMAL}settings = 5", "settings must be a table, not 5"),
        (f"{MINIMAL}options = 'merges'", "options must be an array of strings"),
        (f"{MINIMAL}compressed = 1", "compressed must be true or false, not 1"),
        (
            f"{MINIMAL}[[text]]\nname = 'a'\nto = 'b'\nlines = true",
            r"\[\[text\]\] lines must be a whole number, not True",
        ),
        (
            f"{MINIMAL}[[archive]]\nfile = 'a'\nurl = 'b'\npart = 'test'\n"
            "members = ['c', 'd']",
            r"\[\[archive\]\] members must be a table of strings",
        ),
        (MINIMAL.replace("given", "web"), "raw is 'web'; it must be texts or"),
        (
            MINIMAL.replace("translation", "x"),
            "units is 'x'; it must be translation or",
        ),
    ],
)
def test_wrong_descriptions_are_told_with_the_file(
    tmp_path: Path, text: str, message: str
) -> None:
    file = tmp_path / "c.toml"
    file.write_text(text)
    (tmp_path / "out" / "raw").mkdir(parents=True)
    words = ["--output", str(tmp_path / "out")]
    with pytest.raises(Mistake, match=message) as raised:
        prepare.run(argparse.Namespace(corpus=str(file), options=words))
    assert "\n" not in str(raised.value)


def test_unknown_corpus_is_told_with_all_there_are() -> None:
    with pytest.raises(Mistake, match="no corpus iwslt; there are: acl_titles, duc"):
        description.find_description("iwslt")


def test_preparing_needs_neither_torch_nor_fairseq(tmp_path: Path) -> None:
    code = """
import sys
from alone_experiments.corpora import prepare
for module in (*prepare.RAW.values(), *prepare.UNITS.values()):
    __import__(f"alone_experiments.corpora.{module}")
print(sorted({"torch", "fairseq", "alone_fairseq"} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout == "[]\n", done.stderr
