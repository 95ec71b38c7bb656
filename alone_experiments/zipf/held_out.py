"""What the words of a text cost a language model with millions of words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

from alone_experiments.word_vectors.trained_models import load_all
from alone_experiments.zipf.corpus import SPECIAL_SYMBOLS
from alone_experiments.zipf.source import Floats, Words
from alone_fairseq.output.sliced_losses import sliced_losses

WORDS_AT_ONCE = 2**15
TOKENS_AT_ONCE = 2**11


@torch.no_grad()
def losses(checkpoint: Path, data: Path, text: Words) -> Floats:
    """Score a text with all words of the dictionary in the softmax.

    The vectors of some words at a time are made, scored and forgotten, so that memory
    grows neither with the vocabulary nor with the text.

    Args:
        checkpoint: A language model of fairseq's with a compact embedding.
        data: Folder of its dictionary.
        text: Ranks of words, ``(sentences, length)``.

    Returns:
        Minus the natural logarithm of each word's probability, ``(sentences, length)``.
    """
    model, _, task = load_all(checkpoint, data)
    model.eval()
    words = torch.from_numpy(text + SPECIAL_SYMBOLS)
    end = torch.full((len(words), 1), task.source_dictionary.eos())
    read = torch.cat([end, words[:, :-1]], dim=1)
    layer = model.output_layer()
    layer.slice_words(model.decoder.embed_tokens, WORDS_AT_ONCE)
    states = [
        model(part, features_only=True)[0].flatten(0, 1)
        for part in read.split(max(1, TOKENS_AT_ONCE // text.shape[1]))
    ]
    total = -(-layer.vocabulary // WORDS_AT_ONCE)
    slices = tqdm(layer.slices(words.device), "words", total, disable=None)
    found, _ = sliced_losses(layer, torch.cat(states), words.flatten(), slices)
    return found.view(text.shape).double().numpy()


def seen(training: Words, text: Words, words: int) -> np.ndarray[Any, np.dtype[Any]]:
    """Tell which words of a text are in the training text.

    Args:
        training: Ranks of words, of any shape.
        text: Ranks of words, of any shape.
        words: How many words there are.

    Returns:
        A truth value for each word of ``text``.
    """
    known = np.zeros(words, dtype=bool)
    known[training] = True
    return known[text]
