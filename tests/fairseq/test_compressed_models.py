"""From a trained model to a smaller one."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from fairseq import checkpoint_utils
from fairseq.data import Dictionary
from omegaconf import OmegaConf

from alone_experiments import cli
from alone_experiments.mistakes import Mistake
from alone_experiments.reconstruction.compress import put_together
from alone_experiments.reconstruction.saved import Reconstruction
from alone_experiments.word_vectors.trained_models import read_embedding
from alone_experiments.word_vectors.vectors import VectorFile
from tests.fairseq.built_models import Built, build_from
from tests.fairseq.commands import Done


def reconstruct(*arguments: object) -> None:
    cli.main(["reconstruct", *(str(argument) for argument in arguments)])


def save_plain_model(words: list[str], path: Path) -> Any:
    """Write a checkpoint of a model of fairseq's own, as its trainer does."""
    built = build_from(words)
    state = {
        "args": None,
        "cfg": OmegaConf.to_container(built.cfg, resolve=True, enum_to_str=True),
        "model": built.model.state_dict(),
        "criterion": None,
        "optimizer_history": [{"num_updates": 0, "lr_scheduler_state": {}}],
        "task_state": {},
        "extra_state": {},
        "last_optimizer_state": {},
    }
    torch.save(state, path)
    return built.model.eval()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["joint", "separate"])
def test_a_model_of_fairseqs_own_is_put_together_again(
    kind: str, recipe: list[str], dictionaries: dict[str, Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    number = recipe.index("--alone-inter-dim")
    words = [*recipe[:number], *recipe[number + 2 :], "--arch", "transformer_tiny"]
    if kind == "separate":
        words.remove("--share-all-embeddings")
        words.append("--share-decoder-input-output-embed")
    data, small = dictionaries[kind], tmp_path / "small.pt"
    old = save_plain_model([str(data), *words], tmp_path / "plain.pt")
    reconstruct(
        *(tmp_path / "plain.pt", "--data", data, "--output", tmp_path / "fit.pt"),
        *("--embedding-method", "lookup", "--epochs", 900, "--batch-size", 20),
        *("--lr", 0.004, "--checkpoint-out", small),
    )
    (new,), _, _ = checkpoint_utils.load_model_ensemble_and_task(
        [str(small)], arg_overrides={"data": str(data)}
    )
    assert "last_optimizer_state" not in torch.load(small, weights_only=True)
    fits = {path.name for path in tmp_path.glob("fit*")}
    assert fits == (
        {"fit.pt"} if kind == "joint" else {"fit.source.pt", "fit.target.pt"}
    )
    (tmp_path / "pairs").write_text("w0 w1 1\nw2 w3 2\nw4 w5 3\nw99 w5 3\n")
    scored = (small, "--data", data, "--pairs", tmp_path / "pairs")
    cli.main(["similarity", *map(str, scored)])
    assert capsys.readouterr().out.splitlines()[-2].split()[2:] == ["3", "4"]
    source, target = torch.arange(4, 20).view(2, 8), torch.arange(5, 15).view(2, 5)
    batch = (source, torch.tensor([8, 8]), target)
    with torch.no_grad():
        made, expected = (model.eval()(*batch)[0] for model in (new, old))
    assert (made - expected).abs().max() < 0.02 * expected.abs().max()


def test_both_sides_have_one_size_of_a_share(
    recipe: list[str], dictionaries: dict[str, Path], tmp_path: Path
) -> None:
    number = recipe.index("--alone-inter-dim")
    words = [*recipe[:number], *recipe[number + 2 :], "--arch", "transformer_tiny"]
    words.remove("--share-all-embeddings")
    words.append("--share-decoder-input-output-embed")
    data = dictionaries["separate"]
    save_plain_model([str(data), *words], tmp_path / "plain.pt")
    reconstruct(
        *(tmp_path / "plain.pt", "--data", data, "--output", tmp_path / "fit.pt"),
        *("--embedding-method", "low_rank", "--low-rank-dim", "auto:0.4"),
        *("--epochs", 1, "--batch-size", 20, "--checkpoint-out", tmp_path / "small.pt"),
    )
    model = torch.load(tmp_path / "small.pt", weights_only=True)["model"]
    sides = [model[f"{side}.embed_tokens.narrow"] for side in ("encoder", "decoder")]
    assert sides[0].size(0) != sides[1].size(0)
    assert sides[0].size(1) == sides[1].size(1)


@pytest.mark.parametrize(
    "command", [["reconstruct", "--force"], ["codes", "learn", "--force"]]
)
def test_a_side_does_not_replace_the_model(
    command: list[str], recipe: list[str], dictionaries: dict[str, Path],
    tmp_path: Path,
) -> None:  # fmt: skip
    number = recipe.index("--alone-inter-dim")
    words = [*recipe[:number], *recipe[number + 2 :], "--arch", "transformer_tiny"]
    words.remove("--share-all-embeddings")
    words.append("--share-decoder-input-output-embed")
    data, model = dictionaries["separate"], tmp_path / "fit.target.pt"
    save_plain_model([str(data), *words], model)
    given = model.read_bytes()
    named = (model, "--data", data, "--output", tmp_path / "fit.pt")
    with pytest.raises(Mistake, match=r"fit\.target\.pt: would replace what it is"):
        cli.main([*command, *map(str, named)])
    assert list(tmp_path.iterdir()) == [model]
    assert model.read_bytes() == given


@pytest.mark.parametrize("layer", ["tied", "dense", "bilinear", "joint"])
def test_what_the_output_layer_has_of_its_own_stays(
    layer: str, build: Callable[..., Built], methods: dict[str, list[str]]
) -> None:
    given = () if layer == "tied" else ("--output-layer", layer)
    built = build(*methods["lookup"], "--softmax-bias", "trained", *given)
    with torch.no_grad():
        for parameter in built.model.parameters():
            parameter.normal_()
    kept = built.model.state_dict()
    fitted = build(*methods["low_rank"]).model.encoder.embed_tokens
    made = {"source": Reconstruction(fitted, [], 0, [], [], {})}
    state = {"args": built.cfg.model, "model": {**kept}, "optimizer_history": []}
    found = put_together(state, built.task, made)["model"]
    own = "decoder.output_projection."
    names = [name for name in kept if name.startswith(own) and "embedding" not in name]
    assert f"{own}bias.values" in names
    for name in names:
        assert torch.equal(found[name], kept[name])
    torch.testing.assert_close(found["encoder.embed_tokens.narrow"], fitted.narrow.data)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--std", 1], "--std does not go with a checkpoint"),
        (["--data", "none"], "--data none: no such folder"),
        ([], "--data is missing"),
    ],
)
def test_what_does_not_go_with_a_checkpoint(
    flags: list[object], message: str, tmp_path: Path
) -> None:
    torch.save({"model": {}}, tmp_path / "model.pt")
    with pytest.raises(Mistake, match=message):
        reconstruct(tmp_path / "model.pt", "--output", tmp_path / "a.pt", *flags)
    assert [path.name for path in tmp_path.iterdir()] == ["model.pt"]


@pytest.mark.slow
def test_a_trained_table_becomes_a_smaller_model_to_fine_tune(
    trained: Callable[[str], Path], train: Callable[..., Done], tiny_data: Path,
    tmp_path: Path, read_checkpoint: Callable[[Path], dict[str, Any]],
) -> None:  # fmt: skip
    checkpoint = trained("lookup") / "checkpoint_last.pt"
    small = tmp_path / "small.pt"
    low_rank = ("--embedding-method", "low_rank", "--low-rank-dim", 30)
    reconstruct(
        *(checkpoint, "--data", tiny_data, "--output", tmp_path / "fit.pt"),
        *("--epochs", 500, "--lr", 0.01, "--batch-size", 22, *low_rank),
        *("--checkpoint-out", small, "--vectors-out", tmp_path / "out.vec"),
    )
    words = Dictionary.load(str(tiny_data / "dict.a.txt")).symbols
    assert VectorFile(tmp_path / "out.vec").read().words == words
    # What is scored are words.
    saved = argparse.Namespace(vectors=tmp_path / "fit.pt")
    assert read_embedding(saved)[1].words == words[4:]
    flags = ("--arch", "transformer_low_rank_toy", "--low-rank-dim", 30, "--lr", 1e-9)
    tuned, start = tmp_path / "tuned", ("--finetune-from-model", small)
    done = train(tuned, *flags, *start, "--max-update", 1)
    assert f"loading pretrained model from {small}" in done.stdout
    losses = [
        read_checkpoint(file)["extra_state"]["val_loss"]
        for file in (checkpoint, tuned / "checkpoint_last.pt")
    ]
    assert abs(losses[1] - losses[0]) < 0.05 * losses[0]
