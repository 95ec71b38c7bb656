"""``python -m benchmarks``, which ``bash scripts/benchmark.sh`` runs."""

from __future__ import annotations

import sys

from alone_experiments.foreign_warnings import silence
from alone_experiments.mistakes import exit_status


def main() -> None:
    """Import fairseq silently, which the command does, and run it."""
    silence()
    from benchmarks.benchmark import main as command

    command()


if __name__ == "__main__":
    sys.exit(exit_status(main))
