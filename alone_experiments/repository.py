"""Where the files of the project are."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from alone_experiments.mistakes import Mistake

ROOT = Path(__file__).resolve().parent.parent
"""The checkout that this package is in; experiments need its other folders."""

CONFIGS = ROOT / "configs"


def folder_of_checkout(name: str) -> Path:
    """Find a folder that is not installed with the packages.

    Args:
        name: Such as ``configs``.

    Raises:
        Mistake: If the packages were installed without their checkout.
    """
    folder = ROOT / name
    if not folder.is_dir():
        raise Mistake(
            f"recipes, corpora and experiments are read from {name}/ of the checkout,"
            " which was not installed: in a clone of the repository run pip install"
            " --no-build-isolation -e ."
        )
    return folder


def output_folder() -> Path:
    """Find the folder of corpora, runs and results, which are never committed."""
    return Path(os.environ.get("ALONE_OUTPUT") or ROOT / "output").absolute()


def user_dir() -> str:
    """Find the plugin's folder without importing it, which would take seconds."""
    found = importlib.util.find_spec("alone_fairseq")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("alone_fairseq is not installed beside this package")
    return str(Path(found.origin).parent)


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
