"""Old checkpoints and files that would run code, on every torch that is given."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.fairseq.conftest import ROOT

PYTHONS = "ALONE_OTHER_PYTHONS"
"""Environment variable: more interpreters, with other versions of torch, by colons."""

FILES = ("tests/fairseq/test_checkpoints.py", "tests/fairseq/test_old_checkpoints.py")


def run(work: Path, seed: int, pythons: int) -> dict[str, Any]:
    """Run the tests of reading checkpoints.

    Args:
        work: Not needed.
        seed: Of nothing: nothing here is random.
        pythons: How many interpreters at most, this one first.

    Returns:
        ``rows``, one a version of torch, and ``failures``, which should be none.
    """
    del work, seed
    others = [name for name in os.environ.get(PYTHONS, "").split(":") if name]
    rows, failures = [], []
    for python in [sys.executable, *others][:pythons]:
        version = _ask(python, "import torch; print(torch.__version__)").strip()
        tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *FILES]
        said = _ask(python, *tests)
        counts = {kind: _count(said, kind) for kind in ("passed", "failed", "error")}
        bad = counts["failed"] + counts["error"]
        rows.append(
            {
                "torch": version,
                "files of old writers": len(
                    [*(ROOT / "tests/fairseq/old_checkpoints").glob("*.pt.gz")]
                ),
                "checks": counts["passed"] + bad,
                "failed": bad,
            }
        )
        if bad or not counts["passed"]:
            failures.append(f"torch {version}: {said[-1500:]}")
    return {"rows": rows, "failures": failures}


def _ask(python: str, *words: str) -> str:
    command = [python, *(["-c"] if len(words) == 1 else []), *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout or done.stderr


def _count(said: str, kind: str) -> int:
    found = re.search(rf"(\d+) {kind}", said)
    return int(found[1]) if found else 0
