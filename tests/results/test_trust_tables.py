"""Tables of the campaign's records."""

import json
from pathlib import Path

import pytest

from alone_experiments.mistakes import Mistake
from alone_experiments.results.trust_tables import trust, trust_total

RECORD = {
    "rows": [{"job": "a|b", "kills": 1200}, {"job": "c", "kills": 30}],
    "failures": ["c: another end"],
    "command": ["bash", "scripts/trust.sh"],
    "seed": 7,
    "created": "2026-01-02T03:04:05+00:00",
    "commit": "0123456789",
    "dirty": False,
    "versions": {"torch": "2.13.0"},
}


def test_a_record_becomes_a_table(tmp_path: Path) -> None:
    folder = tmp_path / "results" / "trust"
    folder.mkdir(parents=True)
    (folder / "kills.json").write_text(json.dumps(RECORD))
    lines = trust(tmp_path, "kills").split("\n")
    assert lines[:4] == [
        "| job | kills |",
        "| --- | ---: |",
        r"| a\|b | 1,200 |",
        "| c | 30 |",
    ]
    assert lines[-1] == (
        "Failures: 1. Made by `bash scripts/trust.sh`, seed 7 (2026-01-02, commit"
        " 0123456, torch 2.13.0)."
    )
    assert trust(tmp_path, "kills", "kills").startswith("| kills |\n")
    assert trust_total(tmp_path, "kills", "kills") == "1,230"
    assert trust_total(tmp_path, "kills") == "2"


def test_a_part_without_a_record_is_told(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match=r"no .*disk\.json: run bash scripts/trust\.sh"):
        trust(tmp_path, "disk")
