"""Vectors of words outside a vocabulary, by their spelling."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from alone_experiments.mistakes import Mistake
from alone_experiments.word_vectors.spellings import BEGINS
from alone_experiments.word_vectors.word_vectors import WordVectors

WORDS_AT_A_TIME = 1024


def add_spelled_words(
    vectors: WordVectors, embedding: Any, wanted: Iterable[str]
) -> WordVectors:
    """Give words that are missing vectors by their spelling.

    Where the vocabulary is SentencePiece's, of which a tenth or more begin with its
    mark of where a word begins, words are spelled with that; there and elsewhere as
    whole words, however it would cut them.

    Args:
        vectors: Words and vectors.
        embedding: The embedding that they come from.
        wanted: Words; those that are there in exactly this form are left alone.

    Returns:
        The vectors, and after them those of the missing words.

    Raises:
        Mistake: If the embedding's method knows the words of its vocabulary only.
        AloneError: If a word is empty.
    """
    check_spells(type(embedding))
    missing = [word for word in dict.fromkeys(wanted) if word not in vectors.exact]
    marked = sum(word.startswith(BEGINS) for word in vectors.words)
    mark = BEGINS if 10 * marked >= len(vectors.words) > 0 else ""
    made = [
        _read(embedding, [mark + word for word in missing[i : i + WORDS_AT_A_TIME]])
        for i in range(0, len(missing), WORDS_AT_A_TIME)
    ]
    return WordVectors(
        [*vectors.words, *missing], np.concatenate([vectors.vectors, *made])
    )


def check_spells(kind: type) -> None:
    """Refuse a class of embeddings that has no vectors by spelling.

    Raises:
        Mistake: In one line that names the flag.
    """
    # Only here: text files of vectors need neither torch nor fairseq.
    from alone_fairseq.embeddings import CompactEmbedding

    usual = CompactEmbedding.vectors_of
    if getattr(kind, "vectors_of", usual) is usual:  # fairseq's own has none
        raise Mistake(
            f"--spell: the method {getattr(kind, 'method', 'lookup')} knows only the"
            " words of its vocabulary; give vectors of --embedding-method characters"
        )


def _read(embedding: Any, words: Sequence[str]) -> Any:
    import torch  # here, for the reason above

    with torch.no_grad():
        return embedding.vectors_of(words).float().cpu().numpy()
