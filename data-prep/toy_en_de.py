#!/usr/bin/env python3
"""Write a small English-German parallel corpus from a grammar of our own.

The corpus needs no download and is the same on every machine. Every sentence of the
validation and test sets contains a combination of words (an adjective with a noun, a
verb with an object, the parts of a compound or of a number) that a fixed hash rule
keeps out of the training set, while every word in it is known from there.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from toy_language.chooser import Chooser
from toy_language.sentences import Sentence, sentence, words

HELD_OUT_PERCENT = 8
_PATIENCE = 20_000
_TOKENS = range(3, 26)
Corpus = dict[str, list[Sentence]]


class TooFewSentencesError(ValueError):
    """The grammar or the training set cannot give as many sentences as asked for."""


def is_held_out(pairing: tuple[str, str, str]) -> bool:
    """Whether a fixed hash rule keeps a combination of words out of training."""
    digest = hashlib.sha256("|".join(pairing).encode()).hexdigest()
    return int(digest[:8], 16) % 100 < HELD_OUT_PERCENT


def _collect(
    chooser: Chooser, size: int, seen: set[str], wanted: Callable[[Sentence], bool]
) -> list[Sentence]:
    found: list[Sentence] = []
    misses = 0
    while len(found) < size:
        drawn = sentence(chooser)
        if drawn.english in seen or not _of_fit_length(drawn) or not wanted(drawn):
            misses += 1
            if misses > _PATIENCE:
                raise TooFewSentencesError(f"only {len(found)} of {size} sentences")
            continue
        misses = 0
        seen.add(drawn.english)
        found.append(drawn)
    return found


def _of_fit_length(drawn: Sentence) -> bool:
    return all(len(words(text)) in _TOKENS for text in (drawn.english, drawn.german))


def _only_known_words(
    train: list[Sentence], min_count: int
) -> Callable[[Sentence], bool]:
    english = Counter(w for s in train for w in words(s.english))
    german = Counter(w for s in train for w in words(s.german))

    def known(drawn: Sentence) -> bool:
        sides = ((english, words(drawn.english)), (german, words(drawn.german)))
        return all(
            counts[word] >= min_count or word in drawn.coined or _first_of(word, drawn)
            for counts, forms in sides
            for word in forms
        )

    return known


def _first_of(word: str, drawn: Sentence) -> bool:
    """Whether a capitalised word is a coined one that opens the sentence."""
    return word[0].lower() + word[1:] in drawn.coined


def build_corpus(
    train: int, valid: int, test: int, seed: int, min_count: int
) -> Corpus:
    """Make the three sets.

    Args:
        train: number of sentence pairs, 0 or more.
        valid: the same for the validation set.
        test: the same for the test set.
        seed: decides every choice; the held-out combinations do not depend on it.
        min_count: how often each word form of valid and test occurs in train at least
            (compounds and numbers excepted: their parts do).

    Returns:
        The sentences of "train", "valid" and "test"; no English one occurs twice.

    Raises:
        TooFewSentencesError: the train set is too small for ``min_count``, or the
            grammar is exhausted.
    """
    chooser = Chooser(seed)
    seen: set[str] = set()

    def trainable(drawn: Sentence) -> bool:
        return not any(map(is_held_out, drawn.pairings))

    corpus = {"train": _collect(chooser, train, seen, trainable)}
    known = _only_known_words(corpus["train"], min_count)

    def novel(drawn: Sentence) -> bool:
        return any(map(is_held_out, drawn.pairings)) and known(drawn)

    corpus["valid"] = _collect(chooser, valid, seen, novel)
    corpus["test"] = _collect(chooser, test, seen, novel)
    return corpus


def write_corpus(corpus: Corpus, folder: Path) -> None:
    """Write <set>.en and <set>.de; no file is replaced before all are complete.

    Raises:
        OSError: the folder or a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    partial: dict[Path, Path] = {}
    try:
        for name, sentences in corpus.items():
            sides = {"en": [s.english for s in sentences]}
            sides["de"] = [s.german for s in sentences]
            for language, lines in sides.items():
                final = folder / f"{name}.{language}"
                partial[final] = folder / f".{final.name}.partial"
                text = "".join(f"{line}\n" for line in lines)
                partial[final].write_bytes(text.encode("utf-8"))
        for final, complete in partial.items():
            os.replace(complete, final)
    finally:
        for leftover in partial.values():
            leftover.unlink(missing_ok=True)


def summary(corpus: Corpus) -> str:
    """Return sizes, numbers of distinct word forms and mean lengths, one line each."""
    sizes = ", ".join(f"{len(s)} {name}" for name, s in corpus.items())
    lines = [f"pairs: {sizes}"]
    everything = [s for sentences in corpus.values() for s in sentences]
    for language, texts in (
        ("English", [s.english for s in everything]),
        ("German", [s.german for s in everything]),
    ):
        tokens = [word for text in texts for word in words(text)]
        forms = len({token.lower() for token in tokens})
        mean = len(tokens) / len(texts) if texts else 0.0
        lines.append(f"{language}: {forms} word forms, {mean:.1f} tokens a sentence")
    return "\n".join(lines)


class _OneLineParser(argparse.ArgumentParser):
    """A parser whose errors are a single line."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: error: {message}; see --help", file=sys.stderr)
        sys.exit(2)


def _count(text: str) -> int:
    value = int(text) if text.isascii() and text.isdigit() else -1
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number, 0 or more")
    return value


def _parser() -> argparse.ArgumentParser:
    parser = _OneLineParser(prog="toy_en_de.py", description=__doc__)
    parser.add_argument("output_dir", type=Path, help="folder, made if need be")
    options = {
        "train": (20_000, "training pairs"),
        "valid": (500, "validation pairs"),
        "test": (500, "test pairs"),
        "seed": (1, "decides every choice"),
        "min-count": (3, "training uses of each word form of valid and test, at least"),
    }
    for flag, (default, meaning) in options.items():
        text = f"{meaning} (default {default})"
        parser.add_argument(
            f"--{flag}", type=_count, default=default, metavar="N", help=text
        )
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    sizes = (options.train, options.valid, options.test)
    if options.output_dir.exists() and not options.output_dir.is_dir():
        parser.error(f"OUTPUT_DIR {options.output_dir} is a file: name a folder")
    try:
        corpus = build_corpus(*sizes, options.seed, options.min_count)
        write_corpus(corpus, options.output_dir)
    except TooFewSentencesError as reason:
        parser.error(f"{reason}: raise --train, lower --min-count or ask for fewer")
    except OSError as reason:
        parser.error(f"cannot write {options.output_dir}: {reason.strerror}")
    except KeyboardInterrupt:
        print(f"{parser.prog}: interrupted, nothing written", file=sys.stderr)
        return 130
    print(summary(corpus))
    return 0


if __name__ == "__main__":
    sys.exit(main())
