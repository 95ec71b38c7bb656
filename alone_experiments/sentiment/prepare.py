"""The ``sentiment prepare`` command: reviews as words, and the words' vectors."""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from pathlib import Path

from tqdm import tqdm

from alone_experiments.files import refuse_to_replace, write_text
from alone_experiments.lines import sha256
from alone_experiments.mistakes import Mistake
from alone_experiments.sentiment import raw_reviews, reviews, words
from alone_experiments.sentiment.raw_reviews import PARTS, files_of, read_raw
from alone_experiments.sentiment.reviews import Review, write_reviews
from alone_experiments.steps import Steps, made_by
from alone_experiments.word_vectors.vectors import (
    FORMATS,
    VectorFile,
    write_word2vec,
)
from alone_experiments.word_vectors.word_lists import read_word_list
from alone_experiments.word_vectors.word_vectors import WordVectors

DESCRIPTION = """\
Split the reviews of the Large Movie Review Dataset into words (NLTK's tokens, in lower
case) and write them to DIR: train.tsv, test.tsv, and words.txt with the count of each
word. With --vectors also write vectors.vec: the vectors of these words, as far as they
have one, the most frequent word first. What is done already is not done again."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.description = DESCRIPTION
    add = parser.add_argument
    add(
        "--from",
        dest="source",
        type=Path,
        required=True,
        metavar="DIR",
        help="the data set's folder aclImdb, or a folder with train.tsv.gz and"
        " test.tsv.gz: label, rating, number and text between tabs",
    )
    add(
        "--vectors",
        type=Path,
        metavar="FILE",
        help="word vectors: GloVe, word2vec text or binary, fastText .vec, plain or"
        " gzipped",
    )
    add("--format", choices=("auto", *FORMATS), default="auto", help="[%(default)s]")
    add("--output", type=Path, required=True, metavar="DIR")


def run(args: argparse.Namespace) -> None:
    """Write the files."""
    given = files_of(args.source)
    if not given:
        next(read_raw(args.source, PARTS[0]), None)  # says what is missing
        raise Mistake(f"--from {args.source}: holds no reviews")
    folder: Path = args.output
    outputs = [folder / f"{part}.tsv" for part in PARTS]
    refuse_to_replace([*given, args.vectors], [*outputs, folder / "vectors.vec"])
    if folder.resolve() == args.source.resolve():
        raise Mistake(f"--output {folder}: has the raw reviews: name another folder")
    steps = Steps(folder / "steps", folder / "prepared")
    key = steps.run(
        "words",
        [*outputs, folder / "words.txt"],
        {"files": _checksum(given), **made_by(raw_reviews, reviews, words, "nltk")},
        lambda: _split(args.source, folder),
        f"splitting the reviews of {args.source}",
    )
    if args.vectors:
        vectors = VectorFile(args.vectors, args.format)
        steps.run(
            "vectors",
            [folder / "vectors.vec"],
            {"words": key, "vectors": sha256(args.vectors), "format": args.format},
            lambda: _choose(vectors, folder),
            f"choosing the vectors of {args.vectors}",
        )
    elif "words" in steps.done:
        # They were chosen by the words of other reviews.
        (folder / "vectors.vec").unlink(missing_ok=True)
    write_text(folder / "prepared", "")


def _checksum(files: list[Path]) -> str:
    found = hashlib.sha256()
    for file in files:
        found.update(f"{file.name} {sha256(file)}\n".encode())
    return found.hexdigest()


def _split(source: Path, folder: Path) -> str:
    split, counts, said = words.make_splitter(), Counter[str](), []
    for part in PARTS:
        raw = tqdm(read_raw(source, part), part, unit="review", disable=None)
        made = [Review(label, split(text)) for label, text in raw]
        if not made:
            raise Mistake(f"{source}: the part {part} has no reviews")
        write_reviews(made, folder / f"{part}.tsv")
        for review in made:
            counts.update(review.words)
        said.append(f"{part}: {len(made):,} reviews")
    lines = [f"{word} {count}\n" for word, count in counts.most_common()]
    write_text(folder / "words.txt", "".join(lines))
    return f"{', '.join(said)}, {len(counts):,} different words"


def _choose(file: VectorFile, folder: Path) -> str:
    wanted = read_word_list(folder / "words.txt")
    found = file.read(wanted=_AnyCase(wanted))
    rows = {word: row for word in wanted if (row := found.find(word)) is not None}
    if not rows:
        raise Mistake(f"{file.path}: has a vector for none of the words of the reviews")
    vectors = found.vectors[list(rows.values())]
    write_word2vec(WordVectors(list(rows), vectors), folder / "vectors.vec")
    return f"{len(rows):,} of {len(wanted):,} words have a vector"


class _AnyCase(set[str]):
    """Words, in which others are that differ from one by case only."""

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and super().__contains__(word.lower())
