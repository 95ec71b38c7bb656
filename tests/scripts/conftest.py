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
    machine.add_df(free_kib=20 * 1024 * 1024)
    return machine
