"""fairseq's commands with LSTMs, ConvS2S and language models of ours."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fairseq.conftest import SIZES
from tests.fairseq.other_models import flags_of
from tests.fairseq.test_commands import GENERATION, parse

pytestmark = pytest.mark.slow

BIAS = ("--softmax-bias", "trained")
ABLATION = ("--output-layer", "joint", "--joint-structure")
LAYERS: dict[str, tuple[tuple[object, ...], tuple[object, ...]]] = {
    "lstm": (("--output-layer", "joint", "--joint-dim", 48), (*ABLATION, "output")),
    "fconv": (("--output-layer", "dense"), (*ABLATION, "context")),
    "lm": (("--output-layer", "bilinear"), ()),
}
"""Output layers of the two models of each kind; none: the tied one."""

SAMPLED = ("--criterion", "sampled_label_smoothed_cross_entropy", "--sampled-words")


@pytest.fixture(scope="module")
def text_data(run_command: Callable[..., Any], tiny_data: Path) -> Path:
    """The target side of the corpus, as language models read it."""
    folder = tiny_data.parent / "text"
    words = [w for split in SIZES for w in (f"--{split}pref", tiny_data.parent / split)]
    for name in SIZES:
        text = (tiny_data.parent / f"{name}.b").read_text()
        (tiny_data.parent / name).write_text(text)
    run_command(
        "preprocess", "--only-source", *words, "--destdir", folder, plugin=False
    )
    return folder


@pytest.fixture(scope="module")
def trained_other(
    tmp_path_factory: pytest.TempPathFactory,
    run_command: Callable[..., Any],
    tiny_data: Path,
    text_data: Path,
) -> Callable[..., tuple[Path, Path, Any]]:
    """A function from a model and flags to its data, checkpoint and log."""

    def run(model: str, *flags: object) -> tuple[Path, Path, Any]:
        folder = tmp_path_factory.mktemp(model)
        data = text_data if model == "lm" else tiny_data
        words = (*flags_of(model), "--max-update", 60, "--save-dir", folder, *flags)
        done = run_command("train", data, *words)
        return data, folder / "checkpoint_last.pt", done

    return run


@pytest.mark.parametrize("model", ["lstm", "fconv"])
def test_translation_and_ensembles(
    model: str, trained_other: Callable[..., Any], run_command: Callable[..., Any]
) -> None:
    """One has a bias and was trained with samples; the other is look-up."""
    layer, another = LAYERS[model]
    sampled = (*SAMPLED, "50%", "--sampled-log-q")
    data, mine, done = trained_other(model, *layer, *BIAS, *sampled)
    losses = [float(log["valid_loss"]) for log in done.log("valid")]
    assert losses[-1] < losses[0]
    _, other, _ = trained_other(model, "--embedding-method", "lookup", *another)
    lines = (data.parent / "test.a").read_text()
    alone, both = (
        parse(run_command("generate", data, "--path", paths, *GENERATION).stdout)
        for paths in (mine, f"{mine}:{other}")
    )
    where = ("--path", mine, *GENERATION, "--buffer-size", 9)
    typed = parse(run_command("interactive", data, *where, stdin=lines).stdout)
    assert sorted(alone) == sorted(both) == sorted(typed) == [*range(SIZES["test"])]
    for number, translation in alone.items():
        assert typed[number].text == translation.text
        assert typed[number].score == pytest.approx(translation.score, abs=1e-4)
    assert any(both[number].score != alone[number].score for number in alone)
    common = (data, "--path", mine, "--source-lang", "a", "--target-lang", "b")
    scored = parse(run_command("generate", *common, "--score-reference").stdout)
    scores = [x for found in scored.values() for x in found.token_scores]
    subset = ("--task", "translation", "--valid-subset", "test", "--batch-size", 16)
    log = run_command("validate", *common, *subset, "--log-format", "json").log("test")
    found = float(log[-1]["test_nll_loss"])
    assert found == pytest.approx(-sum(scores) / len(scores), abs=1e-3)


def test_a_language_model(
    trained_other: Callable[..., Any], run_command: Callable[..., Any]
) -> None:
    layer, another = LAYERS["lm"]
    sampled = (*SAMPLED, "50%", "--sampled-log-q")
    data, mine, done = trained_other("lm", *layer, *BIAS, *sampled)
    losses = [float(log["valid_loss"]) for log in done.log("valid")]
    assert losses[-1] < losses[0]
    _, other, _ = trained_other("lm", "--embedding-method", "lookup", *another)
    task = ("--task", "language_modeling", "--sample-break-mode", "eos")
    common = (data, "--path", mine, *task)
    subset = ("--valid-subset", "test", "--log-format", "json", "--batch-size", 16)
    log = run_command("validate", *common, *subset).log("test")
    found = float(log[-1]["test_nll_loss"])
    words = (data, "--path", mine, "--sample-break-mode", "eos", "--batch-size", 9)
    done = run_command("eval_lm", *words, "--gen-subset", "test")
    loss = re.search(r"Loss \(base 2\): ([\d.]+)", f"{done.stdout}{done.stderr}")
    assert loss is not None
    assert float(loss[1]) == pytest.approx(found, abs=0.01)
    both = f"{mine}:{other}"
    start = (data, "--path", both, *task, "--max-len-b", 8, "--beam", 2)
    typed = parse(run_command("interactive", *start, stdin="w1 w2\nw3\n").stdout)
    assert [typed[number].text.split()[0] for number in (0, 1)] == ["w1", "w3"]
    generated = parse(run_command("generate", *start, "--batch-size", 16).stdout)
    assert len(generated) == SIZES["test"]
