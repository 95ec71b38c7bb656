"""The options that the scripts share."""

import re
from pathlib import Path

import pytest

from tests.scripts.stand_in_fairseq import Project


@pytest.fixture
def project(tmp_path: Path, repo_root: Path) -> Project:
    return Project(tmp_path, repo_root)


def documented(help_text: str) -> set[str]:
    """Find the options that begin a line of the help."""
    return set(re.findall(r"^  --([a-z-]+) ", help_text, flags=re.MULTILINE))


@pytest.mark.parametrize("script", ["train.sh", "evaluate.sh", "reproduce.sh"])
def test_help_names_every_option_that_is_read(project: Project, script: str) -> None:
    done = project.run(script, "--help")
    assert done.returncode == 0
    text = (project.scripts / script).read_text()
    read = re.search(r"read_options \w+ (\S+?|'[^']+') ('[^']+'|\S+) \"\$@\"", text)
    assert read
    values = read[1]
    if "$" in values:
        listed = re.search(r"^options='(.*)'$", text, flags=re.MULTILINE)
        assert listed
        values = listed[1]
    names = set(f"{values} {read[2]}".replace("'", "").split()) - {"--"}
    assert len(names) > 4
    assert documented(done.stdout) == names | {"help"}


def test_help_of_the_quickstart(project: Project) -> None:
    assert documented(project.run("quickstart.sh", "--help").stdout) == {
        "force",
        "help",
    }
