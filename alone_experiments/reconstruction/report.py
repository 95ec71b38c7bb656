"""How close a reconstruction is to the vectors it was fitted to."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import torch

from alone_experiments.reconstruction.distances import DISTANCES
from alone_experiments.reconstruction.targets import Targets
from alone_experiments.word_vectors import similarity
from alone_experiments.word_vectors.word_pairs import Pair
from alone_experiments.word_vectors.word_vectors import Floats, WordVectors

PairSets = dict[str, list[Pair]]


def measure(
    targets: Targets, made: WordVectors, distance: str, pairs: PairSets
) -> dict[str, Any]:
    """Compare a reconstruction with its source.

    Args:
        targets: Given vectors.
        made: The reconstruction of the same words.
        distance: Name of the distance that was minimised.
        pairs: Judged word pairs by name.

    Returns:
        Plain data: ``loss`` (mean distance of the fitted words), ``cosine`` (mean
        cosine to the given vector), ``similarity`` by set (of the reconstruction, and
        of the source on the same words); the same of the words kept back, if there
        are any, and how close the mean of the fitted vectors, ``of_the_mean``, is to
        them: what is known of a word of which nothing is known.
    """
    kept_back = targets.held_out.numpy()
    given = targets.given()
    found: dict[str, Any] = {
        **_closeness(given.vectors[~kept_back], made.vectors[~kept_back], distance),
        "similarity": _similarity(given, made, pairs),
    }
    if kept_back.any():
        mean = given.vectors[~kept_back].mean(axis=0, keepdims=True)
        own = given.vectors[kept_back]
        same = _closeness(own, np.broadcast_to(mean, own.shape).copy(), distance)
        found["held_out"] = {
            "words": int(kept_back.sum()),
            **_closeness(own, made.vectors[kept_back], distance),
            "of_the_mean": same,
            "similarity": _similarity(given, made, pairs, kept_back),
        }
    return found


def _closeness(given: Floats, made: Floats, distance: str) -> dict[str, float]:
    pair = torch.from_numpy(given), torch.from_numpy(made)
    return {
        "loss": float(DISTANCES[distance](*pair).double().mean()),
        "cosine": float(-DISTANCES["cosine"](*pair).double().mean()),
    }


def _similarity(
    given: WordVectors,
    made: WordVectors,
    pairs: PairSets,
    kept_back: np.typing.NDArray[np.bool_] | None = None,
) -> dict[str, Any]:
    def wanted(first: int, second: int) -> bool:
        return kept_back is None or bool(kept_back[first] or kept_back[second])

    scores = {}
    for name, judged in pairs.items():
        reconstruction = similarity.score(made, judged, wanted)
        source = similarity.score(given, judged, wanted)
        scores[name] = {**asdict(reconstruction), "source_rho": source.rho}
    return scores
