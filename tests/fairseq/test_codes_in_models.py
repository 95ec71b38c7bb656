"""Codes inside fairseq's models: learned from a table, packed, put back."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from fairseq.models.ema.ema import EMA

from alone_experiments import cli
from alone_experiments.codes import code_file
from alone_experiments.mistakes import Mistake
from alone_experiments.reconstruction import saved
from alone_experiments.training.average import average as mean_of
from alone_experiments.word_vectors.trained_models import load_model
from alone_fairseq.embeddings.codes import CodesEmbedding
from alone_fairseq.errors import AloneError
from tests.fairseq.built_models import Built, train
from tests.fairseq.test_compressed_models import save_plain_model

SIZE = ("--codes-num-codebooks", "3", "--codes-codebook-size", "4")


def run(*words: object) -> None:
    cli.main(["codes", *map(str, words)])


@pytest.fixture
def saved_model(
    recipe: list[str], dictionaries: dict[str, Path], tmp_path: Path
) -> Callable[..., Path]:
    """A function that writes a checkpoint of an untrained model."""

    def write(name: str, *flags: str, kind: str = "joint") -> Path:
        words = list(recipe)
        if kind == "separate":
            words.remove("--share-all-embeddings")
            words.append("--share-decoder-input-output-embed")
        path = tmp_path / f"{name}.pt"
        save_plain_model([str(dictionaries[kind]), *words, *flags], path)
        return path

    return write


def embeddings(checkpoint: Path, data: Path) -> tuple[Any, Any]:
    model, _ = load_model(checkpoint, data)
    return model.encoder.embed_tokens, model.decoder.embed_tokens


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["joint", "separate"])
def test_codes_of_a_trained_table_make_a_smaller_model(
    kind: str,
    saved_model: Callable[..., Path],
    dictionaries: dict[str, Path],
    tmp_path: Path,
) -> None:
    lookup = saved_model("lookup", "--arch", "transformer_lookup_toy", kind=kind)
    data, small = dictionaries[kind], tmp_path / "small.pt"
    short = ("--iterations", 40, "--check-interval", 20, "--batch-size", 8)
    run(
        *("learn", lookup, "--data", data, "--codes", "3x4", *short),
        *("--output", tmp_path / "c.pt", "--checkpoint-out", small),
    )
    names = ["c.pt"] if kind == "joint" else ["c.source.pt", "c.target.pt"]
    for side, name in zip(embeddings(small, data), names, strict=False):
        made = saved.load(tmp_path / name).embedding
        assert isinstance(side, CodesEmbedding)
        assert torch.equal(side.table(), made.table())
        assert torch.equal(side.codes(), made.codes())


def test_learned_codes_start_a_training(
    build: Callable[..., Built],
    saved_model: Callable[..., Path],
    dictionaries: dict[str, Path],
    tmp_path: Path,
) -> None:
    lookup = saved_model("lookup", "--arch", "transformer_lookup_toy")
    short = ("--iterations", 20, "--check-interval", 20, "--batch-size", 8)
    data = ("--data", dictionaries["joint"])
    run("learn", lookup, *data, "--codes", "3x4", *short, "--output", tmp_path / "c.pt")
    flags = ("--embedding-method", "codes", "--embedding-init", tmp_path / "c.pt")
    found = build(*flags, *SIZE).model.encoder.embed_tokens
    table = saved.load(tmp_path / "c.pt").embedding.table()
    assert torch.equal(found.table(), table)
    steps = build(*flags, *SIZE, "--codes-start", "steps").model.encoder.embed_tokens
    torch.testing.assert_close(steps.table(), table)
    assert steps.codewords.norm() > 2 * found.codewords.norm()
    with pytest.raises(AloneError, match="the model has --codes-codebook-size=6"):
        build(*flags, "--codes-num-codebooks", 2, "--codes-codebook-size", 6)
    two = saved_model("two", "--arch", "transformer_lookup_toy", kind="separate")
    other = ("--data", dictionaries["separate"], "--output", tmp_path / "c.pt")
    records = tmp_path / "records"
    records.mkdir()
    learn = ("learn", two, *other, "--codes", "3x4", *short, "--records", records)
    run(*learn, "--force")
    rows = {json.loads(file.read_text())["row"] for file in records.iterdir()}
    assert rows == {"3x4_source", "3x4_target"}
    with pytest.raises(AloneError, match="was made for another dictionary"):
        build(*flags[:-1], tmp_path / "c.target.pt", *SIZE)


def test_codes_of_a_dictionary_in_another_order_start_no_training(
    build: Callable[..., Built], tmp_path: Path
) -> None:
    flags = ("--arch", "transformer_codes_toy", *SIZE)
    built = build(*flags)
    symbols = list(built.task.source_dictionary.symbols)
    rows = list(range(4, len(symbols)))
    swapped = [*symbols[:4], symbols[5], symbols[4], *symbols[6:]]
    made = saved.Reconstruction(
        built.model.encoder.embed_tokens, swapped, 4, rows, [], {}
    )
    saved.save(made, tmp_path / "c.pt")
    with pytest.raises(AloneError, match="has 'w0' as symbol 4, the file's 'w1'"):
        build(*flags, "--embedding-init", tmp_path / "c.pt")


@pytest.mark.parametrize("kind", ["joint", "separate"])
def test_averages_leave_codes_alone(
    kind: str, build: Callable[..., Built], tmp_path: Path
) -> None:
    """Those of checkpoints, and the moving one of a training."""
    flags = ("--arch", "transformer_codes_toy", *SIZE, "--ema-decay", 0.5)
    flags += ("separate", "--share-decoder-input-output-embed") * (kind == "separate")
    built = build(*flags)
    first = copy.deepcopy(built.model.state_dict())
    codes = {name for name in first if name.endswith("codes_version")}
    assert len(codes) >= 2
    average = EMA(built.model, built.cfg.ema)
    with torch.no_grad():
        for weights in built.model.parameters():
            weights.add_(1.0)
    average.step(built.model)
    second = built.model.state_dict()
    paths = [tmp_path / "1.pt", tmp_path / "2.pt"]
    for path, state in zip(paths, (first, second), strict=True):
        whole = {"model": state, "cfg": {"model": built.args}, "args": None}
        torch.save(whole, path)
    found = [average.model.state_dict(), mean_of(paths)["model"]]
    codewords = {name for name in first if name.endswith("codewords")}
    for state in found:
        for name in codes:
            assert state[name].dtype == torch.int32
            assert torch.equal(state[name], first[name])
        for name in codewords:  # fairseq takes a step for each name of what is tied
            moved = state[name] - first[name]
            assert ((moved > 0.49) & (moved < 0.99)).all()


@pytest.mark.slow
def test_a_training_in_half_precision_leaves_codes_alone(
    build: Callable[..., Built],
) -> None:
    flags = ("--arch", "transformer_codes_toy", *SIZE, "--dropout", 0)
    losses = []
    for precision in ([], ["--fp16", "--fp16-no-flatten-grads"]):
        built = build(*flags, *precision)
        embedding = built.model.decoder.embed_tokens
        before, start = embedding.codes().clone(), embedding.codewords.detach().clone()
        losses.append(train(built, 5))
        assert torch.equal(embedding.codes(), before)
        assert not torch.equal(embedding.codewords.float(), start)
        assert embedding.codes_version.dtype == torch.int32
    assert losses[0] == pytest.approx(losses[1], rel=0.01)


@pytest.mark.parametrize(
    "start", ["steps", pytest.param("plain", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize(
    "side", ["target", pytest.param("source", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("kind", ["joint", "separate"])
def test_a_packed_file_goes_back_into_a_model(
    side: str,
    kind: str,
    start: str,
    saved_model: Callable[..., Path],
    dictionaries: dict[str, Path],
    tmp_path: Path,
) -> None:
    codes = ("--arch", "transformer_codes_toy", *SIZE)
    first = saved_model("first", *codes, kind=kind)
    flags = ("--codes-seed", "2", "--codes-start", start)
    other = saved_model("other", *codes, *flags, kind=kind)
    data = ("--data", dictionaries[kind], "--side", side)
    # What belongs to the old codes does not stay beside others.
    state = torch.load(other, weights_only=True)
    state["extra_state"] = {"ema": state["model"], "epoch": 1}
    torch.save({**state, "last_optimizer_state": {"step": 1}}, other)
    packed, back = tmp_path / "c", tmp_path / "back.pt"
    run("export", first, *data, "--output", packed)
    assert code_file.read(packed).specials == 4
    put = ("--checkpoint", other, *data, "--checkpoint-out", back)
    run("unpack", packed, *put)
    wanted, kept, found = (
        embeddings(path, dictionaries[kind]) for path in (first, other, back)
    )
    changed = {0, 1} if kind == "joint" else {("source", "target").index(side)}
    for number in range(2):
        expected = wanted if number in changed else kept
        table = expected[number].table()
        torch.testing.assert_close(found[number].table(), table, rtol=1e-6, atol=1e-6)
        assert torch.equal(found[number].codes(), expected[number].codes())
    before, after = (torch.load(path, weights_only=True) for path in (other, back))
    assert list(before["model"]) == list(after["model"])
    assert after["extra_state"] == {"epoch": 1}
    assert "last_optimizer_state" not in after


def test_another_dictionary_or_model_is_refused(
    saved_model: Callable[..., Path], dictionaries: dict[str, Path], tmp_path: Path
) -> None:
    codes = ("--arch", "transformer_codes_toy", *SIZE)
    model = saved_model("joint", *codes)
    packed, out = tmp_path / "c", tmp_path / "out.pt"
    vectors, embedding = tmp_path / "out.vec", tmp_path / "out.embedding.pt"
    run("export", model, "--data", dictionaries["joint"], "--output", packed)
    found = code_file.read(packed)

    def refused(words: list[str], checkpoint: Path, message: str) -> None:
        fields = {**vars(found), "words": words}
        fields["codes"] = found.codes[: len(words)]
        code_file.write(code_file.PackedCodes(**fields), packed)
        put = ("--checkpoint", checkpoint, "--checkpoint-out", out)
        others = ("--vectors-out", vectors, "--embedding-out", embedding)
        with pytest.raises(Mistake, match=message):
            run("unpack", packed, *put, *others, "--data", dictionaries["joint"])
        assert not any(path.exists() for path in (out, vectors, embedding))

    swapped = [*found.words[:4], "w1", "w0", *found.words[6:]]
    refused(found.words[:-1], model, "has 33 words, the dictionary")
    refused(swapped, model, "has 'w1' as word 4, the dictionary in .* 'w0'")
    larger = saved_model("larger", "--arch", "transformer_codes_toy")
    refused(found.words, larger, "its embedding has no codes of 3x4")
    lookup = saved_model("lookup", "--arch", "transformer_lookup_toy")
    refused(found.words, lookup, "its embedding has no codes of 3x4")
    with pytest.raises(Mistake, match="its embedding has no codes; learn some"):
        run("export", lookup, "--data", dictionaries["joint"], "--output", out)
