"""Paired tests between systems, and BLEU with compounds split."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sacrebleu.significance import PairedTest

from alone_experiments.evaluation.compound_split import (
    SPLIT_HYPHEN,
    compound_split_bleu,
    split_compounds,
)
from alone_experiments.evaluation.significance import compare
from alone_experiments.mistakes import Mistake

WORDS = [f"Wort{number}" for number in range(50)]


@pytest.fixture(autouse=True)
def _fewer_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    assert PairedTest._DEFAULT_SAMPLES["ar"] == 10_000
    monkeypatch.setitem(PairedTest._DEFAULT_SAMPLES, "ar", 1000)


@pytest.fixture(scope="module")
def texts() -> dict[str, list[str]]:
    """References, and what a good and a bad system make of them."""
    chooser = random.Random(1)
    references = [chooser.choices(WORDS, k=chooser.randint(5, 15)) for _ in range(80)]

    def noisy(share: float) -> list[str]:
        return [
            " ".join("falsch" if chooser.random() < share else w for w in line)
            for line in references
        ]

    return {"references": noisy(0.0), "good": noisy(0.1), "bad": noisy(0.3)}


def test_same_as_the_sacrebleu_command(
    texts: dict[str, list[str]], tmp_path: Path
) -> None:
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    command = [sys.executable, "-m", "sacrebleu", "references", "-i", "bad", "good"]
    command += ["--paired-ar", "--paired-ar-n", "1000", "--format", "json"]
    printed = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    bad, good = json.loads(printed.stdout)
    ours = compare(texts["good"], texts["bad"], texts["references"])
    theirs = good["BLEU"]["score"] - bad["BLEU"]["score"]
    assert ours.difference == pytest.approx(theirs, abs=1e-9)
    assert ours.difference > 10
    assert ours.p_value == pytest.approx(good["BLEU"]["p_value"], abs=1e-12)
    assert ours.p_value < 0.001
    assert "ar:1000|seed:12345" in ours.signature


@pytest.mark.parametrize(("changed", "least"), [(1, 1.0), (3, 0.25), (8, 1 / 128)])
def test_few_changes_are_no_proof(
    changed: int, least: float, texts: dict[str, list[str]]
) -> None:
    """Each is exchanged or not; what is seen is one of these ways, or its mirror."""
    system = [*texts["references"][:changed], *texts["bad"][changed:]]
    found = compare(system, texts["bad"], texts["references"])
    assert found.difference > 0
    assert found.p_value >= least


def test_equal_systems_do_not_differ(texts: dict[str, list[str]]) -> None:
    same = compare(texts["good"], texts["good"], texts["references"])
    assert (same.difference, same.p_value) == (0.0, 1.0)


@pytest.mark.parametrize("counts", [(2, 2, 3), (2, 3, 2), (0, 0, 0)])
def test_unequal_numbers_are_refused(counts: tuple[int, int, int]) -> None:
    with pytest.raises(Mistake, match="compare results of one test set"):
        compare(*(["ein Satz"] * count for count in counts))


# As the script that papers cite does it: s{(\S)-(\S)}{$1 ##AT##-##AT## $2}g.
@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("das Make-up .", "das Make ##AT##-##AT## up ."),
        ("Ost-West-Konflikt", "Ost ##AT##-##AT## West ##AT##-##AT## Konflikt"),
        ("A-b-C", "A ##AT##-##AT## b-C"),
        ("5 @-@ mal", "5 ##AT##-##AT## mal"),
        ("5 ##AT##-##AT## mal", "5 ##AT##-##AT## mal"),
        ("ein - zwei -drei vier-", "ein - zwei -drei vier-"),
        ("a--b", "a ##AT##-##AT## -b"),
        ("", ""),
    ],
)
def test_compounds_are_split(sentence: str, expected: str) -> None:
    assert split_compounds(sentence) == expected


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.text(
            st.characters(codec="utf-8", categories=["L", "N"]) | st.just("-"),
            min_size=1,
        )
    )
)
def test_splitting_only_adds_blanks_and_markers(words: list[str]) -> None:
    sentence = " ".join(words)
    split = split_compounds(sentence).replace(f" {SPLIT_HYPHEN} ", "-")
    assert split == sentence


def test_compound_split_score_is_that_of_the_split_tokens() -> None:
    references = ["das Make-up der Frau ist sehr rot .", "er geht nach Haus ."]
    hypotheses = ["das Make-down der Frau ist sehr rot .", "er geht nach Haus ."]
    score = compound_split_bleu(hypotheses, references)
    # 14 tokens, one wrong; matching 2-, 3- and 4-grams are counted by hand.
    precisions = [14 / 15, 11 / 13, 8 / 11, 5 / 9]
    product = 1.0
    for precision in precisions:
        product *= precision
    assert score["bleu"] == pytest.approx(100 * product**0.25)
    assert "tok:none" in str(score["signature"])
