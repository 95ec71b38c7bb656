"""Turn articles into subword units and titles into characters.

Learns the merges on the training articles first, unless they are given. What is there
already is kept.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from subword_nmt.learn_bpe import learn_bpe

from alone_experiments.corpora.headlines.text_files import lines, written_whole
from alone_experiments.mistakes import Mistake, OneLineParser, exit_status
from alone_experiments.text.characters import to_characters
from alone_experiments.text.subwords import Subwords, protect


def learn(article: Path, codes: Path, vocabulary: int) -> None:
    """Learn byte-pair merges on the source side alone.

    Args:
        article: Training articles.
        codes: The file of merges to write.
        vocabulary: Number of subword units wanted, characters included.

    Raises:
        Mistake: If the characters alone are that many.
    """
    words: Counter[str] = Counter()
    for line in lines(article, progress=True):
        words.update(protect(line).split(" "))
    del words[""]
    # subword-nmt takes a dictionary as lines of words and counts, in their order.
    counted = [f"{word} {count}\n" for word, count in sorted(words.items())]
    with written_whole(codes) as (file,):
        with quiet_without_terminal():
            learn_bpe(counted, file, vocabulary, is_dict=True, total_symbols=True)
        file.flush()
        merges = sum(1 for _ in lines(Path(file.name))) - 1
        if not merges:
            raise Mistake(
                f"--vocabulary {vocabulary} is too small for the characters of"
                f" {article}; ask for more"
            )


def quiet_without_terminal() -> contextlib.AbstractContextManager[object]:
    """Keep subword-nmt's progress, which it always shows, out of logs."""
    if sys.stderr.isatty():
        return contextlib.nullcontext()
    return contextlib.redirect_stderr(io.StringIO())


def convert(text: Path, units: Path, change: Callable[[str], str]) -> None:
    """Write a file with every line changed, unless it is there."""
    if not units.is_file():
        with written_whole(units) as (file,):
            file.writelines(f"{change(line)}\n" for line in lines(text, progress=True))


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    parser = OneLineParser(prog="headline_units", description=__doc__)
    add = parser.add_argument
    add("--raw", type=Path, required=True)
    add("--output", type=Path, required=True)
    add("--parts", nargs="+", required=True)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--vocabulary", type=int, metavar="N")
    which.add_argument("--codes", type=Path)
    options = parser.parse_args(arguments)

    def command() -> None:
        codes = options.codes or options.output / "codes"
        if not options.codes and not codes.is_file():
            learn(options.raw / "train.article", codes, options.vocabulary)
        split = Subwords(codes).split
        for part in options.parts:
            for side, change in (("article", split), ("title", to_characters)):
                name = f"{part}.{side}"
                convert(options.raw / name, options.output / name, change)

    return exit_status(command)


if __name__ == "__main__":
    sys.exit(main())
