"""Counts of operations against a count by hand and against torch's own."""

from argparse import Namespace

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from alone_fairseq.embeddings import TableSize, build
from benchmarks.flops import table_forward_flops, table_training_flops


def test_count_by_hand() -> None:
    operations = 0
    for _word in range(2):
        for inner, outer in ((3, 5), (5, 3)):  # D = 3, H = 5
            for _column in range(outer):
                operations += 2 * inner  # a multiplication and an addition each
    assert table_forward_flops(2, 3, 5) == operations == 120
    assert table_training_flops(2, 3, 5) == 360


def test_paper_sizes() -> None:
    assert table_forward_flops(32768, 512, 4096) == pytest.approx(275e9, rel=0.002)
    assert table_training_flops(32768, 512, 8192) == pytest.approx(1.65e12, rel=0.002)


@pytest.mark.usefixtures("published")
def test_torch_counts_the_same_for_the_published_table() -> None:
    embedding = build("published", Namespace(alone_inter_dim=24), TableSize(90, 16, 1))
    with FlopCounterMode(display=False) as forward:
        table = embedding.table()
    assert forward.get_total_flops() == table_forward_flops(90, 16, 24)
    with FlopCounterMode(display=False) as backward:
        table.backward(torch.ones(90, 16))
    total = forward.get_total_flops() + backward.get_total_flops()
    assert total == table_training_flops(90, 16, 24)
