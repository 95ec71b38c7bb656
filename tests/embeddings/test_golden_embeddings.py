"""Embeddings written in November 2026, by version 0.1.0, load and give their vectors.

``golden_embeddings.pt`` has the method of some embeddings of 20 words and 8
values, its options, the state and the table. It never changes.
"""

from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
import torch

from alone_fairseq.embeddings import TableSize, build

SIZE = TableSize(20, 8, 1)
WRITTEN: dict[str, Any] = torch.load(
    Path(__file__).with_name("golden_embeddings.pt"), weights_only=True
)


@pytest.mark.parametrize("name", WRITTEN)
def test_an_old_state_gives_its_table(name: str) -> None:
    old = WRITTEN[name]
    embedding = build(old["method"], Namespace(**old["options"]), SIZE)
    embedding.load_state_dict(old["state"])
    torch.testing.assert_close(embedding.table(), old["table"])


@pytest.mark.parametrize("name", WRITTEN)
def test_a_seed_gives_the_same_state_as_ever(name: str) -> None:
    old = WRITTEN[name]
    torch.manual_seed(7)
    state = build(old["method"], Namespace(**old["options"]), SIZE).state_dict()
    assert list(state) == list(old["state"])
    for key, value in old["state"].items():
        torch.testing.assert_close(state[key], value)
