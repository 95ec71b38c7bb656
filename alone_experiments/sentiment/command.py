"""The ``sentiment`` command: a table of its actions, imported when called."""

from __future__ import annotations

import argparse

ACTIONS = {
    "prepare": ("sentiment.prepare", "split film reviews into words, once for all"),
    "train": ("sentiment.train", "train a classifier of reviews on word vectors"),
}
"""As ``TOOLS`` of :mod:`alone_experiments.cli`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """List the actions; each has its own arguments."""
    parser.epilog = "ACTION --help says more."
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    for name, (_, about) in ACTIONS.items():
        actions.add_parser(name, help=about)


def run(args: argparse.Namespace) -> None:
    """Do nothing: the command line reaches here without an action only."""
