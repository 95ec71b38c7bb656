"""The corpus of a source in the form that fairseq-preprocess writes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from alone_experiments.files import writing_folder
from alone_experiments.zipf.source import Words, ZipfSource

COUNTED = 1_000_000_000
"""Words of the text that the counts of the dictionary are of: that is, its counts are
the frequencies of the source. The text for training is far too short to count."""

LENGTH = 64
"""Words of a sentence."""

SPECIAL_SYMBOLS = 4
"""Those that fairseq puts before the words of any dictionary."""


def write_corpus(folder: Path, vocabulary: int, sentences: int, held_out: int) -> None:
    """Write a corpus; one that is there already is left as it is.

    Args:
        folder: Folder to make; it appears whole or not at all.
        vocabulary: Size V of the dictionary, fairseq's special symbols included.
        sentences: Sentences to learn from.
        held_out: Sentences to test on.
    """
    if folder.exists():
        return
    source = ZipfSource(vocabulary - SPECIAL_SYMBOLS)
    counts = np.maximum(np.rint(source.frequencies * COUNTED), 1).astype(np.int64)
    with writing_folder(folder) as unfinished:
        with (unfinished / "dict.txt").open("w", encoding="utf-8") as file:
            file.writelines(f"w{rank} {count}\n" for rank, count in enumerate(counts))
        for split, size, seed in (("train", sentences, 1), ("valid", held_out, 2)):
            _write(unfinished / split, source.draw(size, LENGTH, seed), vocabulary)


def _write(prefix: Path, text: Words, vocabulary: int) -> None:
    import torch
    from fairseq.data import Dictionary, indexed_dataset

    end = torch.tensor([Dictionary().eos()])
    builder = indexed_dataset.make_builder(f"{prefix}.bin", "mmap", vocabulary)
    for sentence in torch.from_numpy(text + SPECIAL_SYMBOLS):
        builder.add_item(torch.cat([sentence, end]))
    builder.finalize(f"{prefix}.idx")


def read_text(folder: Path, split: str) -> Words:
    """Read the words of a split.

    Returns:
        Ranks, ``(sentences, LENGTH)``.
    """
    from fairseq.data import data_utils

    data = data_utils.load_indexed_dataset(str(folder / split))
    text: Words = np.stack([data[index].numpy() for index in range(len(data))])
    return text[:, :-1].astype(np.int64) - SPECIAL_SYMBOLS
