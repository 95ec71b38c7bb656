"""What the tests of the benchmark share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.corpus import write_corpus
from benchmarks.job import Job, Model, Variant
from benchmarks.plan import Measurement

TINY = Model(dim=16, ffn_dim=32, layers=1, heads=2)
VOCABULARY = 60


@pytest.fixture
def published(plugin: None, monkeypatch: pytest.MonkeyPatch) -> type[Any]:
    """The published formulation, registered for one test only.

    Other tests are about the methods of the plugin alone.
    """
    del plugin
    from alone_fairseq.embeddings import CONFIGS, EMBEDDINGS
    from benchmarks.published import embedding

    for known in (EMBEDDINGS, CONFIGS):
        known.pop("published", None)  # the import has put it there, the first time
    monkeypatch.setitem(EMBEDDINGS, "published", embedding.PublishedEmbedding)
    monkeypatch.setitem(CONFIGS, "published", embedding.PublishedConfig)
    return embedding.PublishedEmbedding


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tiny corpus, as jobs expect it."""
    folder = tmp_path_factory.mktemp("work")
    write_corpus(folder / "corpus", VOCABULARY, 8, {"train": 20, "valid": 4}, seed=1)
    return folder


@pytest.fixture
def measured() -> Callable[..., dict[Measurement, dict[str, Any]]]:
    """A function from values by round to measurements that gave them."""

    def make(
        part: str,
        kind: str,
        variant: Variant | None,
        field: str,
        values: list[float],
        purpose: str = "time",
        **job: Any,
    ) -> dict[Measurement, dict[str, Any]]:
        fields = {"vocabulary": 100, "model": Model(dim=10)} | job
        made = Job(kind=kind, variant=variant, **fields)
        return {
            Measurement(part, purpose, number, made): {field: value}
            for number, value in enumerate(values)
        }

    return make
