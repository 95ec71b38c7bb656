"""One step of a whole training, as the benchmark takes it."""

from pathlib import Path

import pytest

from benchmarks.job import Job, Variant
from benchmarks.training_step import training_step
from tests.benchmarks.conftest import TINY, VOCABULARY


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    "precision", ["fp32", pytest.param("bf16", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize(
    "name", ["lookup", "alone_binary", "alone_real_levers", "alone_binary_recipe"]
)
def test_every_recipe_in_every_precision(
    name: str, precision: str, corpus: Path
) -> None:
    job = Job(
        "training_step",
        Variant(name, 0 if name == "lookup" else 16),
        TINY,
        VOCABULARY,
        tokens=64,
        length=8,
        steps=1,
        warm_up=1,
        folder=str(corpus),
        precision=precision,
    )
    assert training_step(job)["tokens_per_second"] > 0
