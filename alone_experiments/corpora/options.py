"""The options of ``alone-fairseq prepare``: one parser for all corpora."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from alone_experiments.corpora.description import Description
from alone_experiments.corpora.parallel import available_cores
from alone_experiments.corpora.settings import SETTINGS
from alone_experiments.mistakes import Mistake, OneLineParser
from alone_experiments.repository import output_folder


def make_parser(description: Description) -> argparse.ArgumentParser:
    """Build the parser for one corpus.

    Raises:
        Mistake: If a setting in the description is unknown or out of its range.
    """
    about = f"{description.title}\n\n{description.about}"
    if description.licence:
        about += f"\n{description.licence}"
    parser = OneLineParser(
        prog=f"alone-fairseq prepare {description.name}",
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        # An option cut short may come to mean another one.
        allow_abbrev=False,
    )
    _add_folders(parser, description)
    named = {*description.settings, *description.options}
    if unknown := sorted(named - set(SETTINGS)):
        raise Mistake(f"{description.path}: no setting {', '.join(unknown)}")
    for name, setting in SETTINGS.items():
        value = _value(description, name)
        if name in description.options:
            default = "" if value is None else " (default %(default)s)"
            parser.add_argument(
                f"--{name}",
                type=setting.read,
                default=value,
                metavar=setting.metavar,
                help=setting.help + default,
            )
        else:
            parser.set_defaults(**{name.replace("-", "_"): value})
    return parser


def _add_folders(parser: argparse.ArgumentParser, description: Description) -> None:
    add = parser.add_argument
    parser.set_defaults(given=None, url=None, texts=None)
    if description.raw not in ("given", "toy"):
        add(
            "--from", dest="given", type=Path, metavar="DIR", help="folder of its files"
        )
    url = os.environ.get(description.url_variable, description.url)
    if description.text:
        variable = description.url_variable
        known = f" (or {variable}; default {url or 'none is known'})"
        add("--url", default=url, help=f"download the files from here{known}")
    if description.archive:
        # A mirror is a folder with the archives of several servers.
        add("--mirror", "--url", dest="url", help="download the archives from here")
    usual = output_folder() / "data" / description.name
    if description.raw == "given":
        if description.units == "translation":
            add(
                "--texts",
                nargs=2,
                type=Path,
                metavar=("SOURCE", "TARGET"),
                help="two text files, line by line, to be split into DIR/raw",
            )
        add("--output", type=Path, required=True, metavar="DIR", help="has DIR/raw")
    else:
        about = "folder of the corpus (default %(default)s)"
        add("--output", type=Path, default=usual, metavar="DIR", help=about)


def _value(description: Description, name: str) -> Any:
    if name in description.settings:
        try:
            value = SETTINGS[name].read(str(description.settings[name]))
            return output_folder() / "data" / value if name == "training" else value
        except argparse.ArgumentTypeError as error:
            raise Mistake(f"{description.path}: {name}: {error}") from error
    return available_cores() if name in ("workers", "jobs") else SETTINGS[name].default


def parse(description: Description, words: Sequence[str]) -> argparse.Namespace:
    """Read the options for a corpus.

    Args:
        description: The corpus.
        words: What follows its name on the command line.

    Returns:
        ``given`` (``--from``), ``url``, ``output``, and every one of ``SETTINGS``.

    Raises:
        Mistake: If ``--from`` is no folder, or the description is wrong.
    """
    args = make_parser(description).parse_args(words)
    if args.given is not None and not args.given.is_dir():
        raise Mistake(f"--from: no folder {args.given}")
    return args
