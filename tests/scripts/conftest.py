"""What the tests of the scripts share."""

from pathlib import Path

import pytest

from tests.scripts.stand_in_machine import Machine


@pytest.fixture
def machine(tmp_path: Path, repo_root: Path) -> Machine:
    """A machine that has a Python 3.11, uv and room; tests take things away."""
    machine = Machine(tmp_path, repo_root)
    machine.add_python()
    machine.add_uv()
    machine.fill_the_disk(free_mib=100 * 1024)
    return machine
