"""The published formulation computes what ours does, without its savings."""

from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
import torch
from fairseq.modules import FairseqDropout
from torch import Tensor

from alone_fairseq.embeddings import CompactEmbedding, TableSize, build
from benchmarks.batches import draw_batch
from benchmarks.job import Job, Variant
from benchmarks.training_step import build_trainer, set_up_task
from tests.benchmarks.conftest import TINY, VOCABULARY

pytestmark = pytest.mark.usefixtures("published")


def make(method: str, vocabulary: int = 700, **options: Any) -> CompactEmbedding:
    torch.manual_seed(1)
    options = {"alone_inter_dim": 24, **options}
    return build(method, Namespace(**options), TableSize(vocabulary, 16, 1))


def pair(**options: Any) -> tuple[CompactEmbedding, CompactEmbedding]:
    return make("alone", **options), make("published", **options)


def assert_close(mine: Tensor, theirs: Tensor) -> None:
    torch.testing.assert_close(mine, theirs, atol=1e-5, rtol=1e-5)


KINDS = pytest.mark.parametrize(
    "kind", ["real", pytest.param("binary", marks=pytest.mark.slow)]
)


@KINDS
@pytest.mark.parametrize("more", [{}, {"alone_num_layers": 3}, {"alone_base_dim": 11}])
def test_table_and_gradients_are_ours(kind: str, more: dict[str, Any]) -> None:
    weights = torch.randn(700, 16)
    tables, gradients = [], []
    for embedding in pair(alone_filter=kind, **more):
        table = embedding.table()
        tables.append(table)
        (table * weights).mean().backward()
        gradients.append([p.grad for p in embedding.parameters()])
    assert_close(*tables)
    for mine, theirs in zip(*gradients, strict=True):
        assert mine is not None
        assert theirs is not None
        assert theirs.abs().max() > 1e-4
        assert_close(mine, theirs)


@KINDS
def test_loss_and_gradients_of_a_model_are_ours(kind: str, corpus: Path) -> None:
    losses, gradients = [], []
    for name in (f"alone_{kind}", "published"):
        job = Job(
            "training_step",
            Variant(name, inter_dim=24),
            TINY,
            VOCABULARY,
            tokens=64,
            length=8,
            folder=str(corpus),
        )
        cfg, task = set_up_task(job)
        cfg.model.alone_filter = kind
        trainer = build_trainer(job, cfg, task)
        for module in trainer.model.modules():
            if isinstance(module, FairseqDropout):
                module.p = 0.0
        trainer.model.train()
        batch = draw_batch(VOCABULARY, 64, 8, seed=2)
        loss, *_ = trainer.criterion(trainer.model, batch)
        losses.append(loss / batch["ntokens"])
        losses[-1].backward()
        gradients.append({n: p.grad for n, p in trainer.model.named_parameters()})
    assert_close(*losses)
    assert gradients[0].keys() == gradients[1].keys()
    for name, mine in gradients[0].items():
        assert_close(mine, gradients[1][name])


def test_table_is_built_for_every_call() -> None:
    built = []
    for embedding in pair():
        embedding.eval()
        count: list[None] = []
        table = embedding.table
        embedding.table = lambda c=count, t=table: c.append(None) or t()  # type: ignore[method-assign]
        with torch.no_grad(), embedding.one_table():
            for _ in range(3):
                embedding.tied_logits(torch.randn(2, 16))
        built.append(len(count))
    assert built == [1, 3]


def test_equal_tokens_are_computed_one_by_one() -> None:
    rows = []
    for embedding in pair():
        sizes: list[int] = []
        last: Any = embedding.layers[-1]  # type: ignore[index]
        last.register_forward_hook(
            lambda _, __, vectors, sizes=sizes: sizes.append(vectors.numel() // 16)
        )
        embedding.eval()(torch.full((2, 50), 5))
        rows.append(sum(sizes))
    assert rows == [1, 100]


def test_dropout_acts_on_input_look_ups_until_it_stops() -> None:
    embedding: Any = make(
        "published", alone_relu_dropout=0.5, alone_relu_dropout_updates=10
    ).train()
    tokens = torch.full((1000,), 5)
    vectors = embedding(tokens)
    assert not torch.equal(vectors[0], vectors[1])
    assert torch.equal(embedding.table(), embedding.table())
    torch.testing.assert_close(
        vectors.mean(0), embedding.rows(tokens[:1])[0], atol=0.1, rtol=0.1
    )
    embedding.set_num_updates(10)
    assert torch.equal(embedding(tokens), embedding.rows(tokens))


def test_filters_are_resident_and_in_a_file() -> None:
    mine, theirs = pair()
    footprint = theirs.footprint()
    assert footprint.trained_values == mine.footprint().trained_values
    description = 4 * theirs.description_version.numel()
    values = 4 * footprint.trained_values
    assert footprint.stored_bytes == values + description + 4 * 700 * 16
    with torch.device("meta"):
        counted: Any = make("published")
    assert counted.footprint() == footprint
    assert counted.dense_filters.shape == (700, 16)


def test_half_precision() -> None:
    for embedding in pair(alone_relu_dropout=0.0):
        embedding.half()
        assert embedding.table().dtype == torch.float16
        assert embedding(torch.tensor([4, 5])).dtype == torch.float16


def test_plugin_knows_nothing_of_it(repo_root: Path) -> None:
    for path in (repo_root / "alone_fairseq").rglob("*.py"):
        assert "benchmarks" not in path.read_text(), path
