"""The three sets of the toy corpus, and the files that hold them.

Every sentence of the validation and test sets contains a combination of words (an
adjective with a noun, or a verb with an object) that a fixed hash rule keeps out of the
training set, while every word in it is known from there.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from alone_experiments.files import write_text, writing_folder
from alone_experiments.mistakes import Mistake
from alone_experiments.repository import ROOT

from .description import read_lexicon
from .sentences import Sentence, sentences, words
from .speaker import Speaker
from .words import Lexicon

DESCRIPTION = ROOT / "data-prep" / "toy_en_de.toml"
HELD_OUT_PERCENT = 8
_PATIENCE = 20_000
_TOKENS = range(3, 26)
Corpus = dict[str, list[Sentence]]


@dataclass(frozen=True)
class Size:
    """Numbers of sentence pairs, and how often train has each word of the others."""

    train: int = 20_000
    valid: int = 500
    test: int = 500
    min_count: int = 3


def write_corpus(
    folder: Path, description: Path, size: Size | None = None, seed: int = 1
) -> Corpus:
    """Write raw/{train,valid,test}.{en,de}, all of them or none.

    Args:
        folder: that of the corpus; its raw/ is replaced.
        description: the file of words and rules.
        size: numbers of sentence pairs.
        seed: decides every choice; 0 or more.

    Raises:
        Mistake: the description cannot be understood, the corpus cannot be as large as
            asked for, or a file cannot be written.
        OSError: the description cannot be read.
    """
    corpus = build_corpus(read_lexicon(description), size or Size(), seed)
    with writing_folder(folder / "raw") as raw:
        for name, pairs in corpus.items():
            write_text(raw / f"{name}.en", "".join(f"{p.english}\n" for p in pairs))
            write_text(raw / f"{name}.de", "".join(f"{p.german}\n" for p in pairs))
    return corpus


def build_corpus(lexicon: Lexicon, size: Size, seed: int) -> Corpus:
    """Make the three sets; no English sentence occurs twice.

    Raises:
        Mistake: the training set is too small for ``min_count``, or no more sentences
            are found.
    """
    fresh = _fresh(sentences(Speaker(lexicon, seed)))
    corpus = {"train": _collect(fresh, size.train, lambda pair: not is_novel(pair))}
    counts = Counter(word for pair in corpus["train"] for word in _both(pair))

    def fit(pair: Sentence) -> bool:
        known = all(counts[word] >= size.min_count for word in _both(pair))
        return known and is_novel(pair)

    corpus["valid"] = _collect(fresh, size.valid, fit)
    corpus["test"] = _collect(fresh, size.test, fit)
    return corpus


def is_novel(pair: Sentence) -> bool:
    """Whether a fixed hash rule keeps a combination in it out of training."""
    digests = (hashlib.sha256("|".join(p).encode()).hexdigest() for p in pair.pairings)
    return any(int(digest[:8], 16) % 100 < HELD_OUT_PERCENT for digest in digests)


def _fresh(stream: Iterator[Sentence]) -> Iterator[Sentence]:
    """Yield sentences of fit length, each once."""
    seen = set()
    for pair in stream:
        lengths = len(words(pair.english)), len(words(pair.german))
        if pair.english not in seen and all(n in _TOKENS for n in lengths):
            seen.add(pair.english)
            yield pair


def _both(pair: Sentence) -> list[tuple[str, str]]:
    sides = ("en", pair.english), ("de", pair.german)
    return [(language, word) for language, text in sides for word in words(text)]


def _collect(
    stream: Iterator[Sentence], size: int, wanted: Callable[[Sentence], bool]
) -> list[Sentence]:
    found: list[Sentence] = []
    misses = 0
    while len(found) < size:
        pair = next(stream)
        misses = 0 if wanted(pair) else misses + 1
        if misses == 0:
            found.append(pair)
        elif misses > _PATIENCE:
            remedy = "raise --train, lower --min-count or ask for fewer"
            raise Mistake(f"only {len(found)} of {size} sentences found: {remedy}")
    return found
