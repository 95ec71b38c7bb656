"""Tables by ``torch.compile``: the same as without, and measured as such."""

import shutil

import pytest
import torch

from alone_fairseq.embeddings import CompactEmbedding
from benchmarks.embedding_jobs import build_embedding, table_builder
from benchmarks.job import Job, Variant
from benchmarks.settings import Settings, variants_of
from tests.benchmarks.conftest import TINY, VOCABULARY


def test_variants() -> None:
    settings = Settings(variants=("alone_binary_compiled",), inter_dims=(16,))
    (variant,) = variants_of(settings, (0.0,))
    assert variant.compiled
    assert variant.label == "alone binary compiled H=16"
    assert variant.method == "alone"
    assert variant.flags()[2:4] == ["--alone-filter", "binary"]
    assert not Variant("alone_binary", 16).compiled


@pytest.mark.slow
@pytest.mark.usefixtures("plugin")
@pytest.mark.skipif(not shutil.which("g++"), reason="torch.compile needs g++")
@pytest.mark.parametrize("kind", ["real", "binary"])
def test_table_and_gradients_are_the_same(kind: str) -> None:
    weights = torch.randn(VOCABULARY, TINY.dim)
    tables, gradients = [], []
    for name in (f"alone_{kind}", f"alone_{kind}_compiled"):
        job = Job("table_training", Variant(name, 16), TINY, VOCABULARY)
        embedding: CompactEmbedding = build_embedding(job)
        table = table_builder(job, embedding)()
        (table * weights).sum().backward()
        tables.append(table.detach())
        gradients.append([p.grad for p in embedding.parameters()])
    torch.testing.assert_close(*tables, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(*gradients, atol=1e-4, rtol=1e-4)
