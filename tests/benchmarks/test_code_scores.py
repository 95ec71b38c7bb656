"""Scores from codes: what is measured, and which way each variant takes."""

from pathlib import Path

import pytest
from torch import Tensor

from alone_experiments.mistakes import Mistake
from alone_fairseq.embeddings.codes import CodesEmbedding
from benchmarks import code_scores
from benchmarks.job import Job, Model, Variant
from benchmarks.plan import plan
from benchmarks.settings import CODES, Settings, check


def jobs(device: str) -> list[Job]:
    settings = Settings(parts=("codes",), rounds=1, device=device)
    return [each.job for each in plan(settings, Path("work"))]


def test_every_size_is_measured_both_ways_translating_and_training() -> None:
    found = jobs("cpu")
    kinds = [(each.kind, each.batch) for each in found[:: len(CODES)]]
    assert kinds == [("scores", 1), ("scores", 32), ("scores_training", 0)]
    names = [each.variant.name for each in found[: len(CODES)] if each.variant]
    assert names[:2] == ["codes_8x16", "codes_8x16_sums"]
    assert names == list(CODES)


def test_a_gpu_takes_no_sums_and_has_nothing_to_compare() -> None:
    assert jobs("cuda") == []
    with pytest.raises(Mistake, match=r"--parts codes .* add --device cpu"):
        check(Settings(parts=("codes",), device="cuda"))
    check(Settings(parts=("table", "codes"), device="cuda"))


@pytest.mark.parametrize("work", ["scores", "scores_training"])
def test_a_variant_takes_its_way(work: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ways: list[bool] = []
    tied_logits = CodesEmbedding.tied_logits

    def note(embedding: CodesEmbedding, hidden: Tensor) -> Tensor:
        ways.append(embedding.sums_are_cheaper)
        return tied_logits(embedding, hidden)

    monkeypatch.setattr(CodesEmbedding, "tied_logits", note)
    model = Model(dim=16, ffn_dim=16, layers=1, heads=2)
    for name, by_sums in (("codes_4x8", False), ("codes_4x8_sums", True)):
        ways.clear()
        job = Job(work, Variant(name), model, vocabulary=40, tokens=6, batch=2)
        assert getattr(code_scores, work)(job)["seconds"] > 0
        assert set(ways) == {by_sums}
