"""The ``alone-fairseq`` command."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

from . import checkpoints, neighbours, params
from .evaluation import bleu, rerank, rouge_command
from .length_control import characters, masked_digits, subwords
from .reconstruction import analogy, reconstruct, similarity

USER_DIR = str(Path(__file__).parent)

TOOLS = {
    "params": (params, "print what embeddings cost (Table 1 of the paper)"),
    "average": (checkpoints, "average checkpoints"),
    "neighbours": (neighbours, "print the nearest neighbours of words"),
    "bleu": (bleu, "score fairseq-generate's output with SacreBLEU"),
    "rouge": (rouge_command, "score headlines as ROUGE-1.5.5 does"),
    "rerank": (rerank, "choose headlines among n best by their content words"),
    "characters": (characters, "turn text into target characters, and back"),
    "restore-digits": (masked_digits, "put the source's numbers in place of #"),
    "subwords": (subwords, "turn text into source subword units, and back"),
    "reconstruct": (reconstruct, "fit a compact embedding to given word vectors"),
    "similarity": (similarity, "compare word vectors with human judgements"),
    "analogy": (analogy, "answer analogy questions with word vectors"),
}
FAIRSEQ_COMMANDS = ("train", "generate", "interactive", "validate")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one subcommand.

    Args:
        arguments: Command line without the program's name; ``sys.argv`` if left out.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0] in FAIRSEQ_COMMANDS:
        run_fairseq(words[0], words[1:])
        return
    args = make_parser().parse_args(words)
    args.run(args)


def make_parser() -> argparse.ArgumentParser:
    """Build the parser, in which fairseq's own commands are only listed."""
    parser = argparse.ArgumentParser(
        prog="alone-fairseq",
        description="Tools for compact word embeddings in fairseq.",
        epilog="COMMAND --help says more.",
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    user_dir = commands.add_parser("user-dir", help="print what --user-dir needs")
    user_dir.set_defaults(run=lambda _: print(USER_DIR))
    for name, (tool, help_line) in TOOLS.items():
        command = commands.add_parser(name, help=help_line, description=help_line)
        tool.add_arguments(command)
        command.set_defaults(run=tool.run)
    for name in FAIRSEQ_COMMANDS:  # To be listed only: main starts them.
        commands.add_parser(name, help=f"fairseq-{name} with --user-dir already set")
    return parser


def run_fairseq(command: str, arguments: list[str]) -> None:
    """Run one of fairseq's commands with this plugin.

    Args:
        command: One of ``FAIRSEQ_COMMANDS``.
        arguments: The command's own flags.
    """
    sys.argv = [f"fairseq-{command}", *arguments, "--user-dir", USER_DIR]
    importlib.import_module(f"fairseq_cli.{command}").cli_main()
