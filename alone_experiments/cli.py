"""The ``alone-fairseq`` command: a table of names, each module imported when called."""

from __future__ import annotations

import argparse
import difflib
import importlib
import sys
from collections.abc import Mapping, Sequence

from alone_experiments import fairseq_commands
from alone_experiments.foreign_warnings import silence
from alone_experiments.mistakes import OneLineParser, exit_status
from alone_experiments.repository import user_dir

TOOLS = {
    "prepare": ("corpora.prepare", "prepare a corpus for training and evaluation"),
    "codes": ("codes.command", "learn, pack and show compositional codes"),
    "params": ("params", "print what embeddings cost (Table 1 of the paper)"),
    "average": ("training.average", "average checkpoints"),
    "export": (
        "export.command",
        "write a trained model in the form that other programs read",
    ),
    "neighbours": ("word_vectors.neighbours", "print the nearest neighbours of words"),
    "overlap": (
        "word_vectors.overlap",
        "compare the neighbours of words in several spaces, by frequency",
    ),
    "bleu": ("evaluation.bleu", "score fairseq-generate's output with SacreBLEU"),
    "rouge": ("evaluation.rouge_command", "score headlines as ROUGE-1.5.5 does"),
    "word-f1": (
        "evaluation.word_f1_command",
        "score frequent and rare words apart, and the sentences with them",
    ),
    "rerank": (
        "evaluation.rerank",
        "choose headlines among n best by their content words",
    ),
    "headlines": (
        "evaluation.write_headlines",
        "write headlines of a desired length for raw text",
    ),
    "characters": ("text.characters", "turn text into target characters, and back"),
    "restore-digits": (
        "text.masked_digits",
        "put the source's numbers in place of #",
    ),
    "subwords": ("text.subwords", "turn text into source subword units, and back"),
    "reconstruct": (
        "reconstruction.reconstruct",
        "fit a compact embedding to given word vectors",
    ),
    "similarity": (
        "word_vectors.similarity",
        "compare word vectors with human judgements",
    ),
    "sentiment": (
        "sentiment.command",
        "classify film reviews by word vectors, to compare embeddings",
    ),
    "docs": (
        "results.documents",
        "make the tables of README.md and docs/ from records and code",
    ),
    "tag": (
        "tagging.command",
        "train and test part-of-speech taggers with word vectors of any kind",
    ),
    "analogy": ("word_vectors.analogy", "answer analogy questions with word vectors"),
    "train-row": ("training.train", "train a row of an experiment"),
    "evaluate-row": (
        "evaluation.evaluate",
        "translate, score and record a trained row",
    ),
    "tune": ("tune", "train a row with every setting of a grid of flags"),
    "reproduce": ("reproduce", "train, evaluate and compare all rows of an experiment"),
    "reproduce-reconstruction": (
        "reconstruction.figure3",
        "reconstruct word vectors with all methods (Figure 3 of the paper)",
    ),
    "reproduce-codes": (
        "codes.table2",
        "learn codes of every size of Table 2 of their paper",
    ),
    "reproduce-sentiment": (
        "sentiment.table3",
        "classify film reviews with codes and their rivals (Table 3 of their paper)",
    ),
    "reproduce-students": (
        "reconstruction.students",
        "fit vectors made from spellings (Tables 1 and 2 of their paper)",
    ),
    "reproduce-tagging": (
        "tagging.table3",
        "train taggers with word vectors of every kind (Table 3 of the same paper)",
    ),
    "reproduce-zipf": (
        "zipf.command",
        "train a language model with millions of words, against their frequencies",
    ),
    "quickstart": ("quickstart", "train and compare the methods on a small corpus"),
    "compare": (
        "compare",
        "train and compare methods on a corpus of yours; or test a table's rows",
    ),
    "table": ("results.table", "print the table of a folder of results"),
    "plot": ("results.plot", "draw the plots of a folder of results"),
    "show-translations": (
        "results.show_translations",
        "print some test sentences and what each model made of them",
    ),
}
"""Module in this package, with ``add_arguments`` and ``run``, and its line of help."""

FAIRSEQ_COMMANDS = fairseq_commands.COMMANDS


def command() -> None:
    """Run the command line as a program; a user's mistake ends it with one line."""
    silence()
    sys.exit(exit_status(main))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one subcommand.

    Args:
        arguments: Command line without the program's name; ``sys.argv`` if left out.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    name = words[0] if words else ""
    if name in FAIRSEQ_COMMANDS:
        fairseq_commands.run(name, words[1:])
    elif name in TOOLS:
        run_tool(name, words[1:])
    elif name in ("", "user-dir") or name.startswith("-"):
        make_parser().parse_args(words)
        print(user_dir())
    else:
        make_parser().error(f"no command {name}{_nearest(name)}")


def _nearest(name: str) -> str:
    known = ["user-dir", *TOOLS, *FAIRSEQ_COMMANDS]
    alike = difflib.get_close_matches(name, known) or [
        command for command in known if name in command
    ]
    return f", but {', '.join(alike)}" if alike else ""


def make_parser() -> argparse.ArgumentParser:
    """Build the parser that lists the commands; only ``user-dir`` gets past it."""
    parser = OneLineParser(
        prog="alone-fairseq",
        description="Tools for compact word embeddings in fairseq.",
    )
    more = {
        name: f"fairseq-{name} with --user-dir already set" for name in FAIRSEQ_COMMANDS
    }
    _list(
        parser,
        "COMMAND",
        {"user-dir": "print what --user-dir needs", **about(TOOLS), **more},
    )
    return parser


def about(tools: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """Give the line of help of each tool."""
    return {name: help_line for name, (_, help_line) in tools.items()}


def _list(
    parser: argparse.ArgumentParser, metavar: str, known: Mapping[str, str]
) -> None:
    parser.epilog = f"{metavar} --help says more."
    commands = parser.add_subparsers(metavar=metavar, required=True)
    for name, help_line in known.items():
        commands.add_parser(name, help=help_line)


def run_tool(
    name: str,
    arguments: Sequence[str],
    tools: Mapping[str, tuple[str, str]] = TOOLS,
    program_name: str = "alone-fairseq",
) -> None:
    """Import the module of a tool and run it.

    Args:
        name: Key of ``tools``. Where its module is a table ``ACTIONS`` of tools, the
            one that comes next on the command line is run. Where its module names in
            ``PASSES_ON`` a program that it runs, what follows ``--`` is left to that,
            as ``extra``.
        arguments: Its own flags.
        tools: Modules by name.
        program_name: What precedes the name on the command line.
    """
    module, help_line = tools[name]
    tool = importlib.import_module(f"alone_experiments.{module}")
    actions = getattr(tool, "ACTIONS", {})
    if arguments and arguments[0] in actions:
        run_tool(arguments[0], arguments[1:], actions, f"{program_name} {name}")
        return
    parser = OneLineParser(prog=f"{program_name} {name}", description=help_line)
    if actions:
        _list(parser, "ACTION", about(actions))
        parser.parse_args(arguments)  # ends: no action comes first
        return
    tool.add_arguments(parser)
    program = getattr(tool, "PASSES_ON", None)
    if program is None:
        tool.run(parser.parse_args(arguments))
        return
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    args, unknown = parser.parse_known_args(words[:end])
    if unknown:
        said = " ".join(unknown)
        parser.error(f"unrecognized arguments: {said}; flags of {program} go after --")
    args.extra = words[end + 1 :]
    tool.run(args)
