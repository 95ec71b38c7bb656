"""ROUGE against Google's rouge-score, where that agrees with ROUGE-1.5.5.

It does for one reference and ASCII text without stemming: its stemmer is another, it
puts letters outside ASCII into lower case, and takes the best of several references.
"""

import gzip
import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alone_experiments.evaluation.rouge import RougeSettings, score_document

rouge_scorer = pytest.importorskip("rouge_score.rouge_scorer")

WORDS = ["the", "men", "ran", "to", "café-bars", "in", "U.S.", "3.5"]
NAMES = {"rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougeL": "ROUGE-L"}
SCORER = rouge_scorer.RougeScorer(list(NAMES), use_stemmer=False)

sentences = st.lists(st.sampled_from(WORDS)).map(" ".join)


def assert_like_rouge_score(system: str, reference: str) -> None:
    ours = score_document(system, [reference], RougeSettings())
    for name, theirs in SCORER.score(reference, system).items():
        expected = (theirs.recall, theirs.precision, theirs.fmeasure)
        assert ours[NAMES[name]] == pytest.approx(expected, abs=2e-5)


@given(sentences, sentences)
def test_one_reference_without_stems(system: str, reference: str) -> None:
    assert_like_rouge_score(system, reference)


def test_real_titles(shared_data: Callable[[str], Path]) -> None:
    texts = []
    for name in ("src.txt.gz", "tgt.txt.gz"):
        path = shared_data("headlines") / "acl_titles" / name
        with gzip.open(path, "rt", encoding="utf-8") as file:
            texts.append(list(itertools.islice(file, 100)))
    for system, reference in zip(*texts, strict=True):
        assert_like_rouge_score(system, reference)
