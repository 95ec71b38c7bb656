"""``python -m tests.campaign``, which ``bash scripts/trust.sh`` runs."""

from __future__ import annotations

import sys

from alone_experiments.foreign_warnings import silence
from alone_experiments.mistakes import exit_status


def main() -> None:
    """Import fairseq silently, which the command does, and run it."""
    silence()
    from tests.campaign.campaign import main as command

    command()


if __name__ == "__main__":
    sys.exit(exit_status(main))
