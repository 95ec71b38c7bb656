"""The text of the toy corpus, made on the spot: three sets of sentence pairs.

Every sentence of the validation and test sets contains a combination of words (an
adjective with a noun, or a verb with an object) that a fixed hash rule keeps out of the
training set, while every word in it is known from there.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import pkgutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from alone_experiments.corpora import toy
from alone_experiments.corpora.description import PARTS
from alone_experiments.corpora.job import Job
from alone_experiments.corpora.toy.description import read_lexicon
from alone_experiments.corpora.toy.sentences import Sentence, sentences, words
from alone_experiments.corpora.toy.speaker import Speaker
from alone_experiments.corpora.toy.words import Lexicon
from alone_experiments.files import writing_folder
from alone_experiments.lines import sha256, write_parallel
from alone_experiments.mistakes import Mistake
from alone_experiments.steps import made_by

HELD_OUT_PERCENT = 8
_PATIENCE = 20_000
_TOKENS = range(3, 26)
Corpus = dict[str, list[Sentence]]


@dataclass(frozen=True)
class Size:
    """How much is made, under the names of the corpus's settings.

    Attributes:
        train: Pairs for training.
        valid: Pairs for validation.
        test: Pairs for testing.
        min_count: How often each word of the latter two occurs in the first.
        seed: Of all random choices, 0 or more.
    """

    train: int
    valid: int
    test: int
    min_count: int
    seed: int

    @classmethod
    def of(cls, settings: argparse.Namespace) -> Size:
        """Take it from what :func:`.options.parse` returned."""
        return cls(
            **{field.name: getattr(settings, field.name) for field in fields(cls)}
        )


def write_raw(job: Job) -> None:
    """Write ``raw/{train,valid,test}.{en,de}``, unless that is done.

    Raises:
        Mistake: If the file of words and rules cannot be understood, or the corpus
            cannot be as large as asked for.
    """
    rules = job.description.path.parent / job.settings.words
    size = Size.of(job.settings)
    job.steps.run(
        "raw",
        raw_files(job.raw),
        depends(rules, size),
        lambda: write_corpus(job.folder, rules, size),
        "writing the toy corpus",
    )


def raw_files(raw: Path) -> list[Path]:
    """Name the files."""
    return [raw / f"{part}.{language}" for part in PARTS for language in ("en", "de")]


def depends(rules: Path, size: Size) -> dict[str, object]:
    """Say what the text depends on: the words and rules, its size, the code."""
    names = [module.name for module in pkgutil.iter_modules(toy.__path__)]
    grammar = [importlib.import_module(f"{toy.__name__}.{name}") for name in names]
    code = made_by(sys.modules[__name__], *grammar)
    return {"words": sha256(rules), "size": asdict(size), "by": code}


def write_corpus(folder: Path, rules: Path, size: Size) -> str:
    """Write raw/{train,valid,test}.{en,de}, replacing raw/: all of them or none.

    Args:
        folder: Folder of the corpus.
        rules: The file of words and rules.
        size: How much to make.

    Returns:
        A line that says how much it is.

    Raises:
        Mistake: If the file of words and rules cannot be understood, the corpus cannot
            be as large as asked for, or a file cannot be written.
        OSError: If the file of words and rules cannot be read.
    """
    corpus = build_corpus(read_lexicon(rules), size)
    with writing_folder(folder / "raw") as raw:
        for name, pairs in corpus.items():
            sides = [raw / f"{name}.en", raw / f"{name}.de"]
            write_parallel(sides, ((pair.english, pair.german) for pair in pairs))
    return "pairs: " + ", ".join(f"{len(s):,} {name}" for name, s in corpus.items())


def build_corpus(lexicon: Lexicon, size: Size) -> Corpus:
    """Make the three sets; no English sentence occurs twice.

    Raises:
        Mistake: If the training set is too small for ``min_count``, or no more
            sentences are found.
    """
    fresh = _fresh(sentences(Speaker(lexicon, size.seed)))
    train = _collect(fresh, size.train, lambda pair: not is_novel(pair))
    counts = Counter(word for pair in train for word in _tagged(pair))

    def fit(pair: Sentence) -> bool:
        known = all(counts[word] >= size.min_count for word in _tagged(pair))
        return known and is_novel(pair)

    valid = _collect(fresh, size.valid, fit)
    return {"train": train, "valid": valid, "test": _collect(fresh, size.test, fit)}


def is_novel(pair: Sentence) -> bool:
    """Whether a fixed hash rule keeps a combination in it out of training."""
    digests = (hashlib.sha256("|".join(p).encode()).hexdigest() for p in pair.pairings)
    return any(int(digest[:8], 16) % 100 < HELD_OUT_PERCENT for digest in digests)


def _fresh(stream: Iterator[Sentence]) -> Iterator[Sentence]:
    """Yield sentences of fit length, each once."""
    seen = set()
    for pair in stream:
        fit = all(len(words(side)) in _TOKENS for side in (pair.english, pair.german))
        if fit and pair.english not in seen:
            seen.add(pair.english)
            yield pair


def _tagged(pair: Sentence) -> list[tuple[str, str]]:
    english = [("en", word) for word in words(pair.english)]
    return english + [("de", word) for word in words(pair.german)]


def _collect(
    stream: Iterator[Sentence], size: int, wanted: Callable[[Sentence], bool]
) -> list[Sentence]:
    found: list[Sentence] = []
    misses = 0
    while len(found) < size:
        pair = next(stream)
        if wanted(pair):
            found.append(pair)
            misses = 0
        elif (misses := misses + 1) > _PATIENCE:
            remedy = "raise --train, lower --min-count or ask for fewer"
            raise Mistake(f"only {len(found)} of {size} sentences found: {remedy}")
    return found
