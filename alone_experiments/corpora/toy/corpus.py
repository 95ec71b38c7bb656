"""The three sets of the toy corpus, and the files that hold them.

Every sentence of the validation and test sets contains a combination of words (an
adjective with a noun, or a verb with an object) that a fixed hash rule keeps out of the
training set, while every word in it is known from there.
"""

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
    """Write raw/{train,valid,test}.{en,de}, replacing raw/: all of them or none.

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
