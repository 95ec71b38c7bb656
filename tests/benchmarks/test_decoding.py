"""Decoding under the clock: what counts, and that all variants have the same work."""

from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks.decoding import decoding
from benchmarks.job import Job, Variant

from .conftest import TINY, VOCABULARY


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Gets the sources and the hypotheses of each batch that is translated."""
    from fairseq.tasks.translation import TranslationTask

    found: list[Any] = []
    search = TranslationTask.inference_step

    def keep(task: Any, generator: Any, models: Any, sample: Any) -> Any:
        hypotheses = search(task, generator, models, sample)
        found.append((sample["net_input"]["src_tokens"], hypotheses))
        return hypotheses

    monkeypatch.setattr(TranslationTask, "inference_step", keep)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lookup", "published", "alone_real", "alone_binary"])
def test_every_hypothesis_has_the_length_of_the_sentences(
    corpus: Path, published: type[Any], searched: list[Any], name: str
) -> None:
    del published
    variant = Variant(name, 0 if name == "lookup" else 12)
    sizes = {"length": 8, "batch": 3, "sentences": 6}
    job = Job("decoding", variant, TINY, VOCABULARY, folder=str(corpus), **sizes)
    result = decoding(job)
    assert len(searched) == 6
    for sources, found in searched:
        assert sources.shape == (job.batch, job.length)
        assert len(found) == job.batch
        for hypotheses in found:
            assert len(hypotheses) == 4
            # The end of the sentence is one more.
            assert {len(each["tokens"]) for each in hypotheses} == {9}
    rate = job.batch / result["batch_seconds"]
    assert result["sentences_per_second"] == pytest.approx(rate)
    assert not torch.equal(searched[0][0], searched[-1][0])


@pytest.mark.slow
def test_lookup_translates_the_same_batches_first_in_turn(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = {"alone": [9.0, 4.0, 6.0, 5.0], "lookup": [9.0, 2.0, 9.0, 5.0]}
    order: list[str] = []

    def elapsed(call: Any, calls: int) -> float:
        del calls
        call()
        _, (model,), _ = call.args
        order.append(model.cfg.embedding_method)
        return seconds[order[-1]].pop(0)

    monkeypatch.setattr("benchmarks.decoding.elapsed", elapsed)
    sizes = {"length": 8, "batch": 2, "sentences": 6}
    variant = Variant("alone_real", 12)
    result = decoding(
        Job("decoding", variant, TINY, VOCABULARY, folder=str(corpus), **sizes)
    )
    mine, theirs = "alone", "lookup"
    assert order == [mine, theirs, mine, theirs, theirs, mine, mine, theirs]
    assert result == {
        "sentences_per_second": 2 / 5.0,
        "batch_seconds": 5.0,
        "first_batch_seconds": 9.0,
        "of_lookup": 1.0,
    }


def test_without_later_batches_the_first_one_counts(
    corpus: Path, published: type[Any]
) -> None:
    del published
    sizes = {"length": 8, "batch": 2}
    variant = Variant("published", 12)
    result = decoding(
        Job("decoding", variant, TINY, VOCABULARY, folder=str(corpus), **sizes)
    )
    assert result["batch_seconds"] == result["first_batch_seconds"]
    assert "of_lookup" not in result
