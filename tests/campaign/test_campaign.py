"""The short form of the campaign: nothing breaks."""

from pathlib import Path

import pytest

from tests.campaign.parts import PARTS


@pytest.mark.slow
@pytest.mark.parametrize("name", list(PARTS))
def test_nothing_breaks(name: str, plugin: None, tmp_path: Path) -> None:
    del plugin
    part = PARTS[name]
    found = part.run(tmp_path / "work", 1, part.short)
    assert found["rows"]
    assert not found["failures"]
