"""Random batches and what is measured with them."""

import torch

from benchmarks.batches import END, draw_batch, draw_tokens
from benchmarks.embedding_jobs import build_embedding, input_step, table_training
from benchmarks.job import Job, Variant
from tests.benchmarks.conftest import TINY


def test_words_follow_zipf() -> None:
    tokens = draw_tokens(1004, (200_000,), seed=1)
    assert tokens.min() == 4
    assert tokens.max() == 1003
    counts = torch.bincount(tokens)
    # The word of rank r has a share of log((r + 1) / r) / log(1001).
    share = counts[4].item() / 200_000
    assert abs(share - 0.1003) < 0.003
    assert counts[4] > 1.5 * counts[5] > 1.5 * counts[9]
    assert torch.equal(tokens, draw_tokens(1004, (200_000,), seed=1))


def test_batch_is_one_of_fairseqs() -> None:
    batch = draw_batch(50, tokens=70, length=8, seed=1)
    assert (batch["ntokens"], batch["nsentences"]) == (64, 8)
    target, net_input = batch["target"], batch["net_input"]
    assert target.shape == net_input["src_tokens"].shape == (8, 8)
    assert target[:, -1].eq(END).all()
    previous = net_input["prev_output_tokens"]
    assert previous[:, 0].eq(END).all()
    assert torch.equal(previous[:, 1:], target[:, :-1])


def test_jobs_train_the_embedding() -> None:
    job = Job("x", Variant("alone_real", 24), TINY, vocabulary=60, tokens=40)
    before = build_embedding(job).table()
    assert torch.equal(before, build_embedding(job).table())
    for measure in (table_training, input_step):
        result = measure(job)
        assert result["seconds"] > 0
        assert result["peak_bytes"] >= 0
