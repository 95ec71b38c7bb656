"""Where the files of the project are."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The checkout that this package is in; experiments need its other folders."""

CONFIGS = ROOT / "configs"


def output_folder() -> Path:
    """Find the folder of corpora, runs and results, which are never committed."""
    return Path(os.environ.get("ALONE_OUTPUT") or ROOT / "output").absolute()


def shown(path: str | Path) -> str:
    """Name a file as the project's folder sees it, so that records name no machine's.

    Args:
        path: A file or folder, which need not exist.

    Returns:
        Its path from the project's folder, where programs are started; the absolute
        path of what lies elsewhere.
    """
    absolute = os.path.abspath(path)
    return absolute.removeprefix(f"{ROOT}/")
