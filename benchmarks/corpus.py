"""A random corpus in the form that fairseq-preprocess writes."""

from __future__ import annotations

from pathlib import Path

import torch
from fairseq.data import indexed_dataset

from alone_experiments.files import writing_folder

from .batches import END, SPECIAL_SYMBOLS, draw_tokens

LANGUAGES = ("source", "target")


def language_flags() -> list[str]:
    """Give the flags that name the corpus's two languages."""
    return ["--source-lang", LANGUAGES[0], "--target-lang", LANGUAGES[1]]


def write_corpus(
    folder: Path, vocabulary: int, length: int, sentences: dict[str, int], seed: int
) -> Path:
    """Write a corpus; one that is there already is left as it is.

    Args:
        folder: Folder to make; it appears whole or not at all.
        vocabulary: Size ``V`` of the joined dictionary, special symbols included.
        length: Tokens of a sentence on either side, its end included.
        sentences: Number of sentences of each split.
        seed: Seed of the words.

    Returns:
        The folder.
    """
    if folder.exists():
        return folder
    with writing_folder(folder) as unfinished:
        # The third is that of a language model.
        for name in (*(f"dict.{language}.txt" for language in LANGUAGES), "dict.txt"):
            write_dictionary(unfinished / name, vocabulary)
        for number, (split, size) in enumerate(sentences.items()):
            for side, language in enumerate(LANGUAGES):
                words = draw_tokens(
                    vocabulary, (size, length - 1), seed + 2 * number + side
                )
                name = f"{split}.{'-'.join(LANGUAGES)}.{language}"
                _write_split(unfinished / name, words, vocabulary)
    return folder


def write_dictionary(file: Path, vocabulary: int) -> None:
    """Write a dictionary of made-up words.

    Args:
        file: File to write.
        vocabulary: Size ``V``, fairseq's special symbols included.
    """
    words = range(vocabulary - SPECIAL_SYMBOLS)
    file.write_text("".join(f"w{word} {len(words) - word}\n" for word in words))


def _write_split(prefix: Path, words: torch.Tensor, vocabulary: int) -> None:
    builder = indexed_dataset.make_builder(f"{prefix}.bin", "mmap", vocabulary)
    for sentence in words:
        builder.add_item(torch.cat([sentence, torch.tensor([END])]))
    builder.finalize(f"{prefix}.idx")
