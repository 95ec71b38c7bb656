"""Reviews that a word decides, in the forms in which the data set comes."""

import gzip
from pathlib import Path

import numpy as np

from alone_experiments import cli
from alone_experiments.word_vectors.vectors import write_word2vec
from alone_experiments.word_vectors.word_vectors import WordVectors

WORDS = [*(f"w{number}" for number in range(20)), "Fine", "awful"]


def texts(count: int, seed: int) -> list[tuple[str, str]]:
    """Make labels and texts."""
    chooser = np.random.default_rng(seed)
    made = []
    for number in range(count):
        words = [WORDS[i] for i in chooser.integers(0, 20, chooser.integers(1, 7))]
        place = chooser.integers(0, len(words) + 1)
        words.insert(int(place), "fine" if number % 2 else "awful")
        made.append(("pos" if number % 2 else "neg", f"{' '.join(words)}. Unknown!"))
    return made


def write_tables(folder: Path, train: int = 60, test: int = 20) -> Path:
    """Write train.tsv.gz and test.tsv.gz."""
    folder.mkdir(exist_ok=True)
    for part, count, seed in (("train", train, 1), ("test", test, 2)):
        lines = [
            f"{label}\t7\t{i}\t{text}\n"
            for i, (label, text) in enumerate(texts(count, seed))
        ]
        packed = gzip.compress("".join(lines).encode(), mtime=0)
        (folder / f"{part}.tsv.gz").write_bytes(packed)
    return folder


def write_vectors(path: Path, dim: int = 8) -> Path:
    """Write a vector for each of the words, and for one that is in no review."""
    values = np.random.default_rng(3).normal(size=(len(WORDS) + 1, dim))
    write_word2vec(WordVectors([*WORDS, "nowhere"], values.astype(np.float32)), path)
    return path


def prepare(folder: Path) -> Path:
    """Prepare reviews and vectors as the command does."""
    given = write_tables(folder / "given")
    vectors = write_vectors(folder / "given.vec")
    words = ["--from", given, "--vectors", vectors, "--output", folder / "imdb"]
    cli.main(["sentiment", "prepare", *map(str, words)])
    return folder / "imdb"
