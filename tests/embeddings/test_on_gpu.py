"""Every method on a GPU: the vectors, tables and gradients that a CPU computes."""

import copy
from argparse import Namespace

import pytest
import torch

from alone_fairseq.embeddings import TableSize, build
from alone_fairseq.embeddings.tables import network, slices
from tests.methods import CASES, symbols

WORDS = 50


@pytest.mark.gpu
@pytest.mark.parametrize("few_at_a_time", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_table_rows_and_gradients_are_those_of_a_cpu(
    case: str, few_at_a_time: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if few_at_a_time:
        monkeypatch.setattr(network, "KEPT_BYTES", 0)
        monkeypatch.setattr(slices, "VALUES_AT_A_TIME", 64)
    torch.manual_seed(1)
    options = Namespace(**{**CASES[case].options, "alone_relu_dropout": 0.0})
    size = TableSize(WORDS, 12, 1, symbols(WORDS))
    # Doubles, since cuDNN rounds the inputs of an LSTM to ten bits otherwise; and in
    # evaluation it has no gradient of one.
    on_cpu = build(CASES[case].method, options, size).double()
    on_cpu.train(CASES[case].method == "characters")
    on_gpu = copy.deepcopy(on_cpu).cuda()
    tokens = torch.tensor([[4, 1, 49], [7, 4, 0]])
    upstream = torch.randn(WORDS, 12, dtype=torch.float64)
    found = []
    for embedding, device in ((on_cpu, "cpu"), (on_gpu, "cuda")):
        rows, table = embedding(tokens.to(device)), embedding.table()
        loss = (table * upstream.to(device)).sum() + rows.square().sum()
        if loss.requires_grad:
            loss.backward()
        parts = [rows, table, *(p.grad for p in embedding.parameters())]
        found.append([None if p is None else p.detach() for p in parts])
    for mine, expected in zip(*reversed(found), strict=True):
        assert (mine is None) == (expected is None)
        if mine is not None:
            assert mine.is_cuda
            torch.testing.assert_close(mine.cpu(), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.gpu
@pytest.mark.parametrize("case", CASES)
def test_the_default_device_is_where_it_lives(case: str) -> None:
    options = Namespace(**CASES[case].options)
    size = TableSize(WORDS, 12, 1, symbols(WORDS))
    torch.manual_seed(1)
    expected = build(CASES[case].method, options, size)
    torch.manual_seed(1)
    with torch.device("cuda"):
        found = build(CASES[case].method, options, size)
        assert found.device().type == "cuda"
        table = found.table()
    torch.testing.assert_close(table.cpu(), expected.table(), rtol=1e-4, atol=1e-4)
