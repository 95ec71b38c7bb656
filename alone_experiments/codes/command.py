"""The ``codes`` command: a table of its actions, each module imported when called."""

from __future__ import annotations

import argparse

ACTIONS = {
    "learn": ("codes.learn", "learn codes from word vectors or a trained model"),
    "export": ("codes.export", "pack learned or trained codes into one small file"),
    "unpack": ("codes.unpack", "turn such a file into word vectors or a checkpoint"),
    "show": ("codes.show", "print words with their codes, and how codes are used"),
    "sizes": ("codes.sizes", "print what codes take (Tables 2 and 3 of the paper)"),
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
