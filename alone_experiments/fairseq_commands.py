"""fairseq's own commands with the plugin: what ``alone-fairseq train`` becomes."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence

from alone_experiments.repository import user_dir
from alone_experiments.training.recipes import FLAG, METHOD, recipes, with_recipe

COMMANDS = ("train", "generate", "interactive", "validate")


def run(name: str, arguments: Sequence[str]) -> None:
    """Run one of fairseq's commands.

    Args:
        name: One of ``COMMANDS``.
        arguments: The command's own flags; ``train`` takes ``--recipe`` too.

    Raises:
        Mistake: If there is no such recipe.
    """
    # It sets the log up, before anything of fairseq's is imported.
    program = importlib.import_module(f"fairseq_cli.{name}")
    words = with_recipe(arguments) if name == "train" else list(arguments)
    if {"-h", "--help"} & set(arguments):
        print(own_help(name))
    sys.argv = [f"alone-fairseq {name}", *words, "--user-dir", user_dir()]
    program.cli_main()


def own_help(name: str) -> str:
    """Describe the flags that the plugin adds, which come before fairseq's own.

    Args:
        name: One of ``COMMANDS``.
    """
    from alone_experiments.results.option_tables import flags

    parser = argparse.ArgumentParser(
        prog=f"alone-fairseq {name}",
        usage=f"alone-fairseq {name} DATA [flags]",
        description="Flags of the plugin; below them those of fairseq.",
        add_help=False,
    )
    if name == "train":
        add = parser.add_argument_group("recipes").add_argument
        add(
            FLAG,
            metavar="NAME[/ROW]",
            help=f"flags from configs/recipes: {', '.join(recipes())}; row {METHOD} if"
            " none is named; flags with a value that are given as well win, and what"
            " only another --arch, --optimizer, --lr-scheduler or --criterion knows is"
            " left out",
        )
    for title, found in flags().items():
        group = parser.add_argument_group(title.strip("`"))
        for action, _ in found:
            group._add_action(action)
    return parser.format_help()
