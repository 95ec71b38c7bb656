"""Output layers in models as fairseq's commands build them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from alone_fairseq.errors import AloneError
from tests.fairseq.built_models import Built, logits, make_batch
from tests.fairseq.built_models import train as train_on_a_batch
from tests.fairseq.test_chunked_criterion import CHUNKED, QUIET, outcome
from tests.fairseq.test_softmax_slice import beam_search
from tests.made_tensors import MadeTensors

Build = Callable[..., Built]
LAYERS = {
    "joint": ["--output-layer", "joint", "--joint-dim", 24],
    "output": ["--output-layer", "joint", "--joint-structure", "output"],
    "context": ["--output-layer", "joint", "--joint-structure", "context"],
    "bilinear": ["--output-layer", "bilinear"],
}
TYING: dict[str, list[object]] = {
    "all shared": [],
    "two": ["separate"],
    "decoder tied": ["separate", "--share-decoder-input-output-embed"],
    "two sizes": ["separate", "--decoder-embed-dim", 48, "--decoder-output-dim", 20],
    "half precision": ["--memory-efficient-fp16"],
}
LEARNING = ("--warmup-updates", 1, "--lr", 0.002, "--dropout", 0)


@pytest.mark.parametrize(
    ("layer", "tying"),
    [
        ("joint", "all shared"),
        *(
            pytest.param(layer, tying, marks=pytest.mark.slow)
            for layer in LAYERS
            for tying in (TYING if layer == "joint" else ["two"])
            if (layer, tying) != ("joint", "all shared")
        ),
    ],
)
def test_it_learns_and_comes_back(layer: str, tying: str, build: Build) -> None:
    built = build(*LAYERS[layer], *TYING[tying], *LEARNING)
    maps = built.model.output_layer().network_matrices()
    before = [matrix.detach().clone() for matrix in maps]
    losses = train_on_a_batch(built, 3)
    assert losses[-1] < losses[0]
    assert not any(
        torch.equal(old, new.float()) for old, new in zip(before, maps, strict=True)
    )
    again = built.task.build_model(built.args)
    again.load_state_dict(built.model.state_dict())
    again.to(next(built.model.parameters()).dtype)
    batch = make_batch(built.task)
    torch.testing.assert_close(logits(again, batch), logits(built.model, batch))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["alone-real", "low_rank"])
def test_the_loss_in_chunks(
    method: str, build: Build, methods: dict[str, list[str]]
) -> None:
    flags = (*methods[method], *LAYERS["joint"], "--softmax-bias", "trained", *QUIET)
    expected, built = build(*flags), build(*flags, *CHUNKED)
    batch = make_batch(built.task)
    torch.testing.assert_close(
        outcome(built, batch), outcome(expected, batch), atol=1e-5, rtol=1e-4
    )


def test_words_are_mapped_once_for_a_validation_and_once_to_translate(
    build: Build,
) -> None:
    built = build(*LAYERS["joint"], *CHUNKED)
    layer, batch = built.model.output_layer(), make_batch(built.task)
    values = len(built.task.target_dictionary) * layer.word_map.out_features
    built.model.eval()
    with torch.no_grad(), MadeTensors() as made:
        for _ in range(3):
            built.criterion(built.model, batch)
            built.model(**batch["net_input"])
        assert made.count("aten.tanh.default", values) == 1
        beam_search(built)  # fairseq's generator switches the mode, for safety
    assert made.count("aten.tanh.default", values) == 2


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_scripted_model_says_the_same(build: Build) -> None:
    built = build(*LAYERS["joint"])
    batch = make_batch(built.task)
    expected = logits(built.model, batch)
    torch.testing.assert_close(logits(torch.jit.script(built.model), batch), expected)


@pytest.mark.parametrize(
    ("flags", "line"),
    [
        (["--joint-dim", 4], "--joint-dim belongs to --output-layer joint"),
        (
            ["--output-layer", "bilinear", "--joint-structure", "output"],
            "--joint-structure belongs to --output-layer joint, and the model has bil",
        ),
        (["--output-layer", "joint", "--joint-dim", -1], "--joint-dim must be at lea"),
    ],
)
def test_options_that_do_not_belong(
    flags: list[object], line: str, build: Build
) -> None:
    with pytest.raises(AloneError, match=line) as caught:
        build(*flags)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_checkpoints_are_averaged_and_followed_by_a_moving_average(
    train: Callable[..., Any],
    run_command: Callable[..., Any],
    run_tool: Callable[..., Any],
    read_checkpoint: Callable[[Path], dict[str, Any]],
    tiny_data: Path,
    tmp_path: Path,
) -> None:
    saving = ("--save-interval-updates", 4, "--max-update", 8, "--store-ema")
    # With these fairseq's own models lose a layer of the moving average.
    before = ("--encoder-normalize-before", "--decoder-normalize-before")
    train(tmp_path, *LAYERS["joint"], "--softmax-bias", "trained", *saving, *before)
    averaged = tmp_path / "averaged.pt"
    two = ("--num-update-checkpoints", 2)
    done = run_tool("average", "--inputs", tmp_path, *two, "--output", averaged)
    assert done.returncode == 0, str(done)
    name = "decoder.output_projection.word_map.weight"
    states = [
        read_checkpoint(file)["model"][name]
        for file in sorted(tmp_path.glob("checkpoint_1_*.pt"))
    ]
    assert len(states) == 2
    mean = read_checkpoint(averaged)["model"][name]
    torch.testing.assert_close(mean, (states[0] + states[1]) / 2)
    final = read_checkpoint(tmp_path / "checkpoint_last.pt")
    moving = final["extra_state"]["ema"][name]
    assert moving.shape == mean.shape
    assert not torch.equal(moving, final["model"][name])
    taken = tmp_path / "moving.pt"
    last = tmp_path / "checkpoint_last.pt"
    done = run_tool("average", "--moving", "--inputs", last, "--output", taken)
    assert done.returncode == 0, str(done)
    assert torch.equal(read_checkpoint(taken)["model"][name], moving)
    both = f"{averaged}:{taken}"
    flags = ("--path", both, "--beam", 2, "--max-len-b", 12, "--cpu")
    assert (
        "Translated 101 sentences" in run_command("generate", tiny_data, *flags).stdout
    )
