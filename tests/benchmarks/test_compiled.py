"""Tables by ``torch.compile``: the same as without, and measured as such."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch._dynamo.utils import counters

from alone_fairseq.embeddings import CompactEmbedding
from alone_fairseq.embeddings.tables import network
from benchmarks.embedding_jobs import build_embedding, table_builder
from benchmarks.job import Job, Variant
from benchmarks.plan import plan
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
    planned = plan(replace(settings, parts=("table",)), Path("unused"))
    purposes = {each.purpose for each in planned if each.job.variant == variant}
    assert purposes == {"time"}


@pytest.mark.slow
@pytest.mark.usefixtures("plugin")
@pytest.mark.skipif(not shutil.which("g++"), reason="torch.compile needs g++")
@pytest.mark.parametrize("kind", ["real", "binary"])
@pytest.mark.parametrize("kept_bytes", [0, 2**30], ids=["computed again", "kept"])
def test_table_and_gradients_are_the_same(
    kind: str, kept_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network, "KEPT_BYTES", kept_bytes)
    compiled_before = counters["stats"]["unique_graphs"]
    weights = torch.randn(VOCABULARY, TINY.dim)
    tables, gradients = [], []
    for name in (f"alone_{kind}", f"alone_{kind}_compiled"):
        job = Job("table_training", Variant(name, 16), TINY, VOCABULARY)
        embedding: CompactEmbedding = build_embedding(job)
        table = table_builder(job, embedding)()
        (table * weights).sum().backward()
        tables.append(table.detach())
        gradients.append([p.grad for p in embedding.parameters()])
    assert counters["stats"]["unique_graphs"] > compiled_before
    torch.testing.assert_close(*tables, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(*gradients, atol=1e-4, rtol=1e-4)
