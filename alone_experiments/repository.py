"""Where the files of the project are."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The checkout that this package is in; experiments need its other folders."""

CONFIGS = ROOT / "configs"

OUTPUT = Path(os.environ.get("ALONE_OUTPUT") or ROOT / "output")
"""Corpora, runs, results: never committed."""
