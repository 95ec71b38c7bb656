"""``python -m alone_experiments.corpora.toy FOLDER``: write the toy corpus."""

import sys
from dataclasses import asdict
from pathlib import Path

from alone_experiments.arguments import whole_number
from alone_experiments.mistakes import OneLineParser, exit_status

from .corpus import DESCRIPTION, Size, write_corpus


def main() -> None:
    """Write the corpus as the command line says."""
    parser = OneLineParser(prog="toy", description="Write the toy corpus.")
    parser.add_argument("folder", type=Path, help="of the corpus; its raw/ is replaced")
    for name, default in {**asdict(Size()), "seed": 1}.items():
        flag, text = f"--{name.replace('_', '-')}", f"default {default}"
        number = whole_number()
        parser.add_argument(flag, type=number, default=default, metavar="N", help=text)
    options = vars(parser.parse_args())
    folder, seed = options.pop("folder"), options.pop("seed")
    corpus = write_corpus(folder, DESCRIPTION, Size(**options), seed)
    print("pairs: " + ", ".join(f"{len(s)} {name}" for name, s in corpus.items()))


if __name__ == "__main__":
    sys.exit(exit_status(main))
