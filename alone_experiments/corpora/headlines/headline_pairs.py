"""Clean a corpus of first sentences and headlines, and split it.

Writes {train,valid,test}.{article,title}: tokens of the Penn Treebank in lower case.
"""

from __future__ import annotations

import sys
from pathlib import Path

from alone_experiments.corpora.headlines.cleaning import (
    clean,
    truncate,
    without_tickers,
)
from alone_experiments.corpora.headlines.near_duplicates import Pair
from alone_experiments.corpora.headlines.splits import split
from alone_experiments.corpora.headlines.text_files import (
    find,
    parallel_lines,
    written_whole,
)
from alone_experiments.mistakes import Mistake, OneLineParser, exit_status

NAMES = ("src.txt", "tgt.txt")


def read_pairs(folder: Path, tickers: bool) -> list[Pair]:
    """Read and clean the pairs of a folder.

    Args:
        folder: Holds ``src.txt`` and ``tgt.txt``, or the same with ``.gz``.
        tickers: Whether to remove the codes of shares.

    Returns:
        Source and title of each; pairs of which either is empty are left out.

    Raises:
        Mistake: If a file is missing or damaged, or their lines do not match.
    """
    found = [find(folder, name) for name in NAMES]
    if None in found:
        name = NAMES[found.index(None)]
        raise Mistake(
            f"{folder} has no file {name} or {name}.gz; it needs {' and '.join(NAMES)}"
        )
    pairs = []
    for row in parallel_lines([path for path in found if path]):
        source, title = map(without_tickers, row) if tickers else row
        source, title = truncate(clean(source)), clean(title)
        if source and title:
            pairs.append((source, title))
    return pairs


def write_parts(parts: dict[str, list[Pair]], folder: Path) -> None:
    """Write the sets, all or none of them."""
    paths = [
        folder / f"{part}.{side}" for part in parts for side in ("article", "title")
    ]
    texts = [[pair[side] for pair in parts[part]] for part in parts for side in (0, 1)]
    with written_whole(*paths) as files:
        for file, text in zip(files, texts, strict=True):
            file.writelines(f"{line}\n" for line in text)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    parser = OneLineParser(prog="headline_pairs", description=__doc__)
    parser.add_argument("--from", dest="given", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--valid", type=int, default=1000, metavar="N")
    parser.add_argument("--test", type=int, default=1000, metavar="N")
    parser.add_argument("--remove-tickers", action="store_true")
    options = parser.parse_args(arguments)
    if min(options.valid, options.test) < 1:
        parser.error("--valid and --test must be above 0")

    def command() -> None:
        pairs = read_pairs(options.given, options.remove_tickers)
        splits = split(pairs, options.valid, options.test)
        write_parts(splits.parts, options.output)
        print("\n".join([f"{len(pairs)} pairs", *splits.report()]))

    return exit_status(command)


if __name__ == "__main__":
    sys.exit(main())
