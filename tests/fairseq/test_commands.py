"""fairseq's commands agree on what a model says, whatever its embedding."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.methods import FLAGS

TEST_SENTENCES = 101  # no multiple of 8: fairseq alone would drop some
GENERATION = (
    "--source-lang",
    "a",
    "--target-lang",
    "b",
    "--beam",
    4,
    "--max-len-b",
    12,
)

pytestmark = pytest.mark.slow


@dataclass
class Translation:
    """One sentence of the output of generate or interactive."""

    text: str
    score: float
    token_scores: list[float]


def parse(stdout: str) -> dict[int, Translation]:
    """Read translations by the number of their sentence; scores are base-2 logs."""
    found = {}
    hypotheses = re.findall(r"^H-(\d+)\t(\S+)\t(.*)$", stdout, flags=re.MULTILINE)
    for number, score, text in hypotheses:
        tokens = re.search(rf"^P-{number}\t(.*)$", stdout, flags=re.MULTILINE)
        assert tokens is not None
        scores = [float(word) for word in tokens[1].split()]
        found[int(number)] = Translation(text, float(score), scores)
    assert len(found) == len(hypotheses)
    return found


@pytest.fixture(params=FLAGS)
def checkpoint(request: pytest.FixtureRequest, trained: Callable[[str], Path]) -> Path:
    """The last checkpoint of a run with each method."""
    return trained(request.param) / "checkpoint_last.pt"


@pytest.fixture
def generated(
    checkpoint: Path, run_command: Callable[..., Any], tiny_data: Path
) -> dict[int, Translation]:
    """Translations of the test set by fairseq-generate."""
    done = run_command("generate", tiny_data, "--path", checkpoint, *GENERATION)
    assert f"Translated {TEST_SENTENCES} sentences" in done.stdout
    return parse(done.stdout)


def test_generate_and_interactive_agree(
    checkpoint: Path,
    generated: dict[int, Translation],
    run_command: Callable[..., Any],
    tiny_data: Path,
) -> None:
    lines = (tiny_data.parent / "test.a").read_text()
    path = ("--path", checkpoint, "--buffer-size", 7)
    done = run_command("interactive", tiny_data, *path, *GENERATION, stdin=lines)
    typed = parse(done.stdout)
    assert sorted(generated) == sorted(typed) == list(range(TEST_SENTENCES))
    for number, translation in generated.items():
        assert typed[number].text == translation.text
        assert typed[number].score == pytest.approx(translation.score, abs=1e-4)
        assert typed[number].token_scores == pytest.approx(
            translation.token_scores, abs=2e-4
        )


def test_validate_and_scores_of_references_agree(
    checkpoint: Path, run_command: Callable[..., Any], tiny_data: Path
) -> None:
    common = (
        tiny_data,
        "--path",
        checkpoint,
        "--source-lang",
        "a",
        "--target-lang",
        "b",
    )
    scored = run_command("generate", *common, "--score-reference")
    references = parse(scored.stdout)
    assert sorted(references) == list(range(TEST_SENTENCES))
    lines = (tiny_data.parent / "test.b").read_text().splitlines()
    assert [references[number].text for number in sorted(references)] == lines
    scores = [x for found in references.values() for x in found.token_scores]
    assert len(scores) == sum(len(line.split()) + 1 for line in lines)

    subset = ("--task", "translation", "--valid-subset", "test", "--batch-size", 16)
    log = ("--log-format", "json")
    validated = run_command("validate", *common, *subset, *log).log("test")[-1]
    # Printed with three digits; the token scores have four.
    expected = -sum(scores) / len(scores)
    assert float(validated["test_nll_loss"]) == pytest.approx(expected, abs=6e-4)
    # A model that had learned nothing would say the same of all sentences.
    assert expected < math.log2(40)
    assert float(validated["test_bsz"]) == TEST_SENTENCES
