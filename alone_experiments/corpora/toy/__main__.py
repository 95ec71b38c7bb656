"""``python -m alone_experiments.corpora.toy FOLDER``: write the toy corpus."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

from alone_experiments.mistakes import OneLineParser, exit_status

from .corpus import DESCRIPTION, Size, write_corpus


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number, 0 or more")
    return int(text)


def main() -> None:
    """Write the corpus as the command line says."""
    parser = OneLineParser(prog="toy", description="Write the toy corpus.")
    parser.add_argument("folder", type=Path, help="of the corpus; its raw/ is replaced")
    settings = asdict(Size())
    for name, default in {**settings, "seed": 1}.items():
        flag = f"--{name.replace('_', '-')}"
        text = f"default {default}"
        parser.add_argument(flag, type=_count, default=default, metavar="N", help=text)
    options = vars(parser.parse_args())
    size = Size(**{name: options[name] for name in settings})
    corpus = write_corpus(options["folder"], DESCRIPTION, size, options["seed"])
    print("pairs: " + ", ".join(f"{len(s)} {name}" for name, s in corpus.items()))


if __name__ == "__main__":
    sys.exit(exit_status(main))
