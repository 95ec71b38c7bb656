"""Write DUC-2004 task 1: test.article, and test.ref0 ... test.ref3 as they were.

test.title is the first reference in lower case, as tokens: fairseq wants a target.
test.unmasked is test.article with its digits.
"""

from __future__ import annotations

import sys
from pathlib import Path

from alone_experiments.corpora.headlines import duc2004
from alone_experiments.corpora.headlines.digits import mask
from alone_experiments.corpora.headlines.text_files import written_whole
from alone_experiments.corpora.headlines.treebank import tokenise
from alone_experiments.mistakes import Mistake, OneLineParser, exit_status


def write(documents: list[duc2004.Document], folder: Path, masked: bool) -> None:
    """Write the files, all or none of them.

    Args:
        documents: The documents in order.
        folder: Where to.
        masked: Whether digits of sources become ``#``; references keep theirs.
    """
    names = [f"ref{number}" for number in range(duc2004.REFERENCES)]
    paths = [
        folder / f"test.{name}" for name in ("article", "unmasked", "title", *names)
    ]
    with written_whole(*paths) as files:
        for document in documents:
            change = mask if masked else str
            title = tokenise(document.references[0]).lower()
            row = (change(document.source), document.source, change(title))
            for text, file in zip((*row, *document.references), files, strict=True):
                file.write(f"{text}\n")


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    parser = OneLineParser(prog="duc2004_pairs", description=__doc__)
    add = parser.add_argument
    add("--from", dest="given", type=Path, required=True)
    add("--output", type=Path, required=True)
    add("--digits", choices=("keep", "mask"), default="keep")
    add("--documents", type=int, default=duc2004.DOCUMENTS, metavar="N")
    options = parser.parse_args(arguments)

    def command() -> None:
        documents = list(duc2004.read(options.given))
        if len(documents) != options.documents:
            raise Mistake(
                f"{options.given} has {len(documents)} documents of"
                f" {options.documents}; get the rest, or say --documents"
                f" {len(documents)}: scores are then not comparable"
            )
        write(documents, options.output, options.digits == "mask")
        print(f"{len(documents)} documents, {duc2004.REFERENCES} references each")

    return exit_status(command)


if __name__ == "__main__":
    sys.exit(main())
