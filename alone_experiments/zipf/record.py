"""The record of a language model on text of a known source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from alone_experiments.provenance import origin
from alone_experiments.word_vectors.trained_models import load_all
from alone_experiments.zipf.corpus import SPECIAL_SYMBOLS, read_text
from alone_experiments.zipf.held_out import losses, seen
from alone_experiments.zipf.source import ZipfSource
from alone_fairseq.checkpoints import read
from alone_fairseq.footprint import measure


def make_record(
    about: Mapping[str, Any], command: Sequence[str], data: Path, checkpoint: Path
) -> dict[str, Any]:
    """Score the held-out text, and put down what the numbers are of.

    Args:
        about: Row, seed and vocabulary.
        command: What trained the model.
        data: Folder of the corpus.
        checkpoint: The trained model.

    Returns:
        Plain data. Losses are means over words, in nats: of all words, and of those
        that are in the training text.
    """
    source = ZipfSource(about["vocabulary"] - SPECIAL_SYMBOLS)
    training, text = read_text(data, "train"), read_text(data, "valid")
    model, _, _ = load_all(checkpoint, data)
    known = seen(training, text, source.words)
    costs = {
        "model": losses(checkpoint, data, text),
        "unigram": -np.log(source.frequencies[text]),
        "source": source.losses(text),
    }
    embedding = model.decoder.embed_tokens
    return {
        "experiment": "zipf",
        **about,
        "losses": {
            name: {"all_words": float(cost.mean()), "seen": float(cost[known].mean())}
            for name, cost in costs.items()
        },
        "deviation_of_mean": float(
            (costs["unigram"] - costs["model"]).std() / np.sqrt(text.size)
        ),
        "data": {"training": training.size, "held_out": text.size},
        "words_seen": len(np.unique(training)),
        "share_seen": float(known.mean()),
        "footprint": asdict(measure(embedding)),
        "lookup_values": embedding.num_embeddings * embedding.embedding_dim,
        "train_seconds": read(checkpoint)["extra_state"]["previous_training_time"],
        **origin(command, ("fairseq-fixed",)),
    }
