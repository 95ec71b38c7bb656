"""Write the raw pairs of Gigaword: {train,valid,test}.{article,title}, in lower case.

From the public pre-processed pairs where the folder has them, else from the files of
Annotated Gigaword, by the extraction and the filter of Rush et al. (2015).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from alone_experiments.corpora.headlines import gigaword_files, public_pairs
from alone_experiments.corpora.headlines.digits import has_digit, mask
from alone_experiments.corpora.headlines.evenly import evenly
from alone_experiments.corpora.headlines.gigaword_rules import clean_title, is_kept
from alone_experiments.corpora.headlines.text_files import parallel_lines, written_whole
from alone_experiments.mistakes import Mistake, OneLineParser, exit_status

Pairs = Iterator[tuple[str, str]]


def public(folder: Path) -> dict[str, Callable[[], Pairs]]:
    """Return a reader for each part of the public pairs.

    The unknown word is ``<unk>`` in their training set and ``UNK`` in their test set:
    in articles it becomes ``<unk>``. Pairs of which either side is empty are left out.
    """
    parts = public_pairs.find_all(folder)

    def reader(files: public_pairs.PairFiles) -> Pairs:
        for article, title in parallel_lines([files.article, files.title], True):
            words, title_words = article.split(), title.split()
            if words and title_words:
                known = ("<unk>" if word == "UNK" else word for word in words)
                yield " ".join(known), " ".join(title_words)

    return {part: partial(reader, files) for part, files in parts.items()}


def annotated(folder: Path, kept: Path, jobs: int) -> dict[str, Callable[[], Pairs]]:
    """Return a reader for each part of Annotated Gigaword, extracted first.

    Training and validation pairs pass the published filter; test pairs need only have
    both sides.
    """
    parts = gigaword_files.assign(gigaword_files.find_files(folder), folder)
    gigaword_files.extract_all(
        [path for paths in parts.values() for path in paths], kept, jobs
    )

    def reader(part: str) -> Pairs:
        for article, title in gigaword_files.read_extracted(parts[part], kept):
            cleaned = clean_title(title)
            if cleaned and (part == "test" or is_kept(article, title)):
                yield article.lower(), cleaned

    return {part: partial(reader, part) for part in parts}


def write(
    readers: dict[str, Callable[[], Pairs]],
    folder: Path,
    masked: bool,
    sizes: dict[str, int],
) -> dict[str, int]:
    """Write all parts and a file ``digits``, which says ``kept`` or ``masked``.

    Args:
        readers: Read the pairs of each part, from the start at each call.
        folder: Where to.
        masked: Whether to write every digit as ``#``.
        sizes: At most so many pairs of a part, spread evenly; 0 for all.

    Returns:
        Number of pairs by part.

    Raises:
        Mistake: If a part has no pair.
    """
    change = mask if masked else str
    digits, counts = False, {}
    for part, read in readers.items():
        wanted = sizes.get(part, 0)
        total = sum(1 for _ in read()) if wanted else 0
        paths = [folder / f"{part}.{side}" for side in ("article", "title")]
        with written_whole(*paths) as files:
            counts[part] = 0
            for pair in evenly(read(), total, wanted):
                counts[part] += 1
                for text, file in zip(map(change, pair), files, strict=True):
                    file.write(f"{text}\n")
                    digits = digits or has_digit(text)
            if not counts[part]:
                raise Mistake(f"no {part} pair is left: all are empty or filtered")
    with written_whole(folder / "digits") as (file,):
        file.write("kept\n" if digits else "masked\n")
    return counts


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    parser = OneLineParser(prog="gigaword_pairs", description=__doc__)
    add = parser.add_argument
    add("--from", dest="given", type=Path, required=True)
    add("--output", type=Path, required=True)
    add("--extracted", type=Path, required=True, help="folder for unfinished work")
    add("--digits", choices=("keep", "mask"), default="keep")
    add("--valid-pairs", type=int, default=3000, metavar="N")
    add("--test-pairs", type=int, default=2000, metavar="N")
    add("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    options = parser.parse_args(arguments)
    if min(options.valid_pairs, options.test_pairs) < 0 or options.jobs < 1:
        parser.error("--valid-pairs and --test-pairs must be 0 or more, --jobs 1")

    def command() -> None:
        if public_pairs.find_part(options.given, "train"):
            readers = public(options.given)
        else:
            readers = annotated(options.given, options.extracted, options.jobs)
        sizes = {"valid": options.valid_pairs, "test": options.test_pairs}
        counts = write(readers, options.output, options.digits == "mask", sizes)
        print(", ".join(f"{part}: {count} pairs" for part, count in counts.items()))

    return exit_status(command)


if __name__ == "__main__":
    sys.exit(main())
