"""Removing a run to begin it again, unless it is being worked on."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from alone_experiments.locks import locked
from alone_experiments.mistakes import exit_status

MODULE = "alone_experiments.training.remove_run"


def command(folder: Path) -> list[str]:
    """Make the command that removes a run."""
    return ["python", "-m", MODULE, str(folder)]


def remove_run(folder: Path) -> None:
    """Remove all that the folder of a run has but its lock; it need not exist.

    Raises:
        Mistake: If another program works there.
    """
    if not folder.is_dir():
        return
    with locked(folder):
        for each in folder.iterdir():
            if each.is_dir() and not each.is_symlink():
                shutil.rmtree(each)
            elif each.name != "lock":
                each.unlink()


def main() -> None:
    """Remove the run that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    remove_run(parser.parse_args().folder)


if __name__ == "__main__":
    raise SystemExit(exit_status(main))
