"""Nearest neighbours in an embedding space."""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from alone_experiments.mistakes import Mistake
from alone_experiments.word_vectors.neighbours import load_embedding, nearest

SPECIAL = 4


def test_neighbours_are_ranked_by_cosine() -> None:
    table = torch.tensor(
        [[1, 0], [1, 0], [1, 0], [1, 0], [2, 0], [1, 1], [9, 1], [-1, 0], [0, 5.0]]
    )
    found = nearest(table, 4, count=3, skip=SPECIAL)
    assert [index for index, _ in found] == [6, 5, 8]
    assert [round(cosine, 4) for _, cosine in found] == [0.9939, 0.7071, 0.0]


@given(
    rows=st.integers(SPECIAL + 2, 30), count=st.integers(1, 40), seed=st.integers(0, 99)
)
def test_every_word_but_itself_and_the_special_symbols(
    rows: int, count: int, seed: int
) -> None:
    generator = np.random.default_rng(seed)
    table = torch.from_numpy(generator.normal(size=(rows, 3)))
    index = int(generator.integers(SPECIAL, rows))
    found = nearest(table, index, count, SPECIAL)
    indices = [i for i, _ in found]
    others = set(range(SPECIAL, rows)) - {index}
    assert len(indices) == len(set(indices)) == min(count, len(others))
    assert set(indices) <= others
    vectors = table.numpy()
    cosine = vectors @ vectors[index]
    cosine /= np.linalg.norm(vectors, axis=1) * np.linalg.norm(vectors[index])
    best = sorted(others, key=lambda other: -cosine[other])[: len(indices)]
    assert indices == best


@pytest.mark.parametrize(
    ("folder", "message"),
    [("missing", "missing: no such folder"), (".", "no dict.<language>.txt in it")],
)
def test_folder_without_dictionaries_is_named(
    tmp_path: Path, folder: str, message: str
) -> None:
    with pytest.raises(Mistake, match=rf"^--data {tmp_path}.*{message}"):
        load_embedding(tmp_path / "checkpoint.pt", tmp_path / folder, "source")
