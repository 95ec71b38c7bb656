"""Sentences with part-of-speech tags, from a treebank of Universal Dependencies."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from alone_experiments.lines import read_lines
from alone_experiments.mistakes import Mistake

COLUMNS = {"upos": 3, "xpos": 4}
"""The tags of CoNLL-U: universal ones, and those of the treebank's own language."""

_FIELDS = 10
_NOT_A_WORD = re.compile(r"\d+[-.]\d+")
"""Number of a contraction, or of a word that is not in the text."""
PARTS = ("train", "dev", "test")


class Sentence(NamedTuple):
    """The words of a sentence, and the tag of each."""

    words: list[str]
    tags: list[str]


@dataclass(frozen=True)
class Treebank:
    """Sentences to learn from, to choose by and to test with.

    Attributes:
        parts: The sentences of each of ``PARTS``.
    """

    parts: dict[str, list[Sentence]]

    @cached_property
    def tags(self) -> list[str]:
        """The tags of the training sentences, sorted."""
        return sorted({tag for each in self.parts["train"] for tag in each.tags})

    @cached_property
    def counts(self) -> Counter[str]:
        """The words of the training sentences, and how often each occurs."""
        return Counter(word for each in self.parts["train"] for word in each.words)

    def describe(self) -> dict[str, str]:
        """Compute the SHA-256 of words and tags of each part."""
        return {
            part: hashlib.sha256(repr(sentences).encode()).hexdigest()
            for part, sentences in self.parts.items()
        }


def read_treebank(folder: Path, kind: str, limit: int | None = None) -> Treebank:
    """Read all parts of a treebank.

    Args:
        folder: Folder with one file ``*-train.conllu`` and its like of dev and test,
            plain or gzipped.
        kind: Key of ``COLUMNS``.
        limit: Take the first sentences of each part only; ``None`` takes all.

    Raises:
        Mistake: If a file is missing, or as :func:`read_sentences`.
    """
    found = {part: read_sentences(_file_of(folder, part), kind) for part in PARTS}
    return Treebank({part: sentences[:limit] for part, sentences in found.items()})


def _file_of(folder: Path, part: str) -> Path:
    ends = (f"-{part}.conllu", f"-{part}.conllu.gz")
    found = sorted(file for file in folder.glob("*") if file.name.endswith(ends))
    if len(found) != 1:
        raise Mistake(
            f"{folder}: has {len(found) or 'no'} files *-{part}.conllu or .conllu.gz,"
            " of which one is needed: name a folder of a Universal Dependencies"
            " treebank"
        )
    return found[0]


def read_sentences(file: Path, kind: str) -> list[Sentence]:
    """Read a file in the format CoNLL-U.

    Words as they are tagged: the parts of a contraction, not the contraction, and no
    words that are not in the text.

    Args:
        file: The file, plain or gzipped.
        kind: Key of ``COLUMNS``.

    Returns:
        Its sentences, in order.

    Raises:
        Mistake: If it cannot be read, or a word has no tag; the line names the line.
    """
    sentences: list[Sentence] = []
    current = Sentence([], [])
    for number, line in enumerate([*read_lines(file, "\r\n"), ""], 1):
        line = line.removeprefix("\ufeff") if number == 1 else line
        if not line:
            if current.words:
                sentences.append(current)
                current = Sentence([], [])
        elif not line.startswith("#"):
            fields = line.split("\t")
            if len(fields) != _FIELDS:
                raise Mistake(
                    f"{file}, line {number}: must have {_FIELDS} fields with tabs"
                    f" between them, it has {len(fields)}"
                )
            if _NOT_A_WORD.fullmatch(fields[0]):
                continue
            if not fields[0].isdecimal():
                raise Mistake(
                    f"{file}, line {number}: {fields[0]!r} is no word's number"
                )
            word, tag = fields[1], fields[COLUMNS[kind]]
            if not word or tag in ("", "_"):
                raise Mistake(f"{file}, line {number}: has no word or no {kind} tag")
            current.words.append(word)
            current.tags.append(tag)
    if not sentences:
        raise Mistake(f"{file}: holds no sentences")
    return sentences
