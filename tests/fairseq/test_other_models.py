"""LSTMs, ConvS2S and language models with our embeddings and output layers."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from fairseq.sequence_generator import SequenceGenerator

from alone_experiments.word_vectors.trained_models import side_of
from alone_fairseq.errors import AloneError
from alone_fairseq.layer_lists import read_attention, read_layers
from alone_fairseq.optim.parameter_groups import ATTRIBUTE, HIDDEN
from alone_fairseq.output import JointProjection, TiedProjection
from alone_fairseq.output.softmax_bias import log_frequencies
from tests.fairseq.built_models import Built, build_from, logits, make_batch, train
from tests.fairseq.other_models import MODELS, flags_of

UNTIED = {"--share-all-embeddings", "--share-decoder-input-output-embed"}
LEARNING = ("--warmup-updates", "1")
CRITERION = "label_smoothed_cross_entropy"


@pytest.fixture
def build_other(plugin: None, dictionaries: dict[str, Path]) -> Callable[..., Built]:
    """A function from a model and flags to what fairseq-train builds."""
    del plugin

    def run(model: str, *flags: object, tied: bool = True) -> Built:
        words = [w for w in flags_of(model) if tied or w not in UNTIED]
        folder = dictionaries["joint"]
        if model == "lm":
            (folder / "dict.txt").write_text((folder / "dict.a.txt").read_text())
        return build_from([str(folder), *words, *map(str, flags)])

    return run


def batch_of(built: Built) -> dict[str, Any]:
    batch = make_batch(built.task)
    if not hasattr(built.model, "encoder"):
        previous = batch["net_input"].pop("prev_output_tokens")
        batch["net_input"]["src_tokens"] = previous
    return batch


def learn(built: Built, monkeypatch: pytest.MonkeyPatch, updates: int) -> list[float]:
    place = "tests.fairseq.built_models.make_batch"
    monkeypatch.setattr(place, lambda _: batch_of(built))
    return train(built, updates)


@pytest.mark.parametrize(
    ("model", "matrices"),
    [
        ("lstm", {"encoder.lstm.weight_hh_l0", "decoder.layers.0.weight_ih"}),
        ("lm", {"decoder.layers.0.fc1.weight", "decoder.layers.0.self_attn.k_proj"}),
    ],
)
def test_muon_trains_the_matrices_of_the_layers(
    model: str,
    matrices: set[str],
    build_other: Callable[..., Built],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    muon = ("--optimizer", "adam_muon", "--muon-for", "network,hidden")
    built = build_other(model, *muon, *LEARNING)
    marked = {
        name
        for name, parameter in built.model.named_parameters()
        if getattr(parameter, ATTRIBUTE, None) == HIDDEN
    }
    assert all(any(name.startswith(part) for name in marked) for part in matrices)
    assert not any("embed" in name or "output" in name for name in marked)
    losses = learn(built, monkeypatch, 4)
    assert losses[-1] < losses[0]


def test_convs2s_has_no_matrices_for_muon(
    build_other: Callable[..., Built], monkeypatch: pytest.MonkeyPatch
) -> None:
    muon = ("--optimizer", "adam_muon", "--muon-for", "hidden")
    with pytest.raises(AloneError, match="no trained matrix of the group hidden"):
        learn(build_other("fconv", *muon), monkeypatch, 1)


@pytest.mark.parametrize("model", MODELS)
def test_presets_of_alone_learn(
    model: str, build_other: Callable[..., Built], monkeypatch: pytest.MonkeyPatch
) -> None:
    family = "transformer_lm" if model == "lm" else model
    built = build_other(model, *LEARNING, "--arch", f"{family}_alone_toy")
    (embedding,) = built.model.compact_embeddings()
    assert (embedding.config.alone_own_dim, embedding.config.alone_centre) == (32, True)
    assert built.model.softmax_bias() is not None
    losses = learn(built, monkeypatch, 4)
    assert losses[-1] < losses[0]


@pytest.mark.parametrize("model", MODELS)
def test_it_learns_and_comes_back(
    model: str, build_other: Callable[..., Built], monkeypatch: pytest.MonkeyPatch
) -> None:
    built = build_other(model, *LEARNING)
    assert isinstance(built.model.output_layer(), TiedProjection)
    assert len(built.model.compact_embeddings()) == 1
    losses = learn(built, monkeypatch, 4)
    assert losses[-1] < losses[0]
    again = built.task.build_model(built.args)
    again.load_state_dict(built.model.state_dict())
    batch = batch_of(built)
    scores = logits(built.model, batch)
    torch.testing.assert_close(logits(again, batch), scores)
    states, *_ = built.model(**batch["net_input"], features_only=True)
    torch.testing.assert_close(built.model.output_layer()(states), scores)


@pytest.mark.parametrize("model", MODELS)
def test_logits_have_the_frequencies(
    model: str, build_other: Callable[..., Built]
) -> None:
    plain, biased = (
        build_other(model, "--softmax-bias", kind) for kind in ("none", "unigram")
    )
    batch, words = batch_of(plain), plain.task.target_dictionary
    expected = log_frequencies(words.count, words.eos(), words.nspecial)
    found = logits(biased.model, batch) - logits(plain.model, batch)
    torch.testing.assert_close(found, expected.expand_as(found), rtol=0, atol=2e-6)


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_criteria_and_the_joint_layer(
    model: str, build_other: Callable[..., Built]
) -> None:
    """Our criteria give the loss of fairseq's, with all words in the sample."""
    joint = ("--output-layer", "joint", "--joint-dim", 24, "--softmax-bias", "unigram")
    losses = []
    for name in ("", "chunked_", "sampled_"):
        sample = ("--sampled-words", "100%") if name == "sampled_" else ()
        flags = (*joint, "--criterion", f"{name}{CRITERION}", *sample)
        built = build_other(model, *flags, tied=False)
        assert isinstance(built.model.output_layer(), JointProjection)
        assert len(built.model.compact_embeddings()) == (1 if model == "lm" else 2)
        built.model.train()
        loss, *_ = built.criterion(built.model, batch_of(built))
        loss.backward()
        losses.append(loss.item())
    assert losses[1:] == pytest.approx([losses[0]] * 2, rel=1e-5)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.slow
@pytest.mark.parametrize("model", ["lstm", "lm"])
@pytest.mark.parametrize("tied", [True, False])
def test_a_scripted_model_says_the_same(
    model: str, tied: bool, build_other: Callable[..., Built]
) -> None:
    built = build_other(model, tied=tied)
    batch = batch_of(built)
    expected = logits(built.model, batch)
    scripted = torch.jit.script(built.model)
    torch.testing.assert_close(logits(scripted, batch), expected)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_convs2s_is_no_torchscript(build_other: Callable[..., Built]) -> None:
    built = build_other("fconv")
    generator = SequenceGenerator([built.model], built.task.target_dictionary)
    for module in (built.model, generator):
        with pytest.raises(AloneError, match=r"^ConvS2S cannot be .* TorchScript"):
            torch.jit.script(module)


def test_the_lstm_of_the_paper(plugin: None) -> None:
    del plugin
    from argparse import Namespace

    from fairseq.models import ARCH_CONFIG_REGISTRY

    args = Namespace()
    ARCH_CONFIG_REGISTRY["lstm_lookup_wmt_en_de"](args)
    assert (args.encoder_layers, args.decoder_layers, args.dropout) == (2, 2, 0.3)
    sizes = ("encoder_embed_dim", "encoder_hidden_size", "decoder_embed_dim")
    sizes += ("decoder_hidden_size", "decoder_out_embed_dim")
    assert {getattr(args, size) for size in sizes} == {512}
    assert not args.encoder_bidirectional


@pytest.mark.parametrize(
    ("model", "flags", "line"),
    [
        ("lstm", ["--encoder-layers", 2], "--encoder-layers 2 and --decoder-layers 1"),
        ("lstm", ["--decoder-out-embed-dim", 16], "--decoder-out-embed-dim 16 differs"),
        ("lstm", ["--encoder-freeze-embed"], "remove --encoder-freeze-embed"),
        ("lstm", ["--adaptive-softmax-cutoff", "5"], "--adaptive-softmax-cutoff"),
        ("fconv", ["--decoder-layers", "[(32"], "--decoder-layers must be a list"),
        ("fconv", ["--encoder-layers", "4"], "--encoder-layers must be a list"),
        ("fconv", ["--decoder-attention", "False"], "--decoder-attention False: one"),
        (
            "lstm",
            ["--encoder-layers", 0, "--decoder-layers", 0],
            "--encoder-layers 0: an LSTM has one layer",
        ),
        ("lstm", ["--decoder-attention", "maybe"], "--decoder-attention must be True"),
        ("lstm", ["--decoder-hidden-size", 0], "--decoder-hidden-size must be a"),
        ("lstm", ["--encoder-hidden-size", -3], "--encoder-hidden-size must be a"),
        (
            "fconv",
            ["--decoder-out-embed-dim", -64, "--output-layer", "joint"],
            "--decoder-out-embed-dim must be a whole number from 1, not -64",
        ),
        (
            "fconv",
            ["--decoder-out-embed-dim", 16],
            "--decoder-out-embed-dim 16 differs",
        ),
        ("lm", ["--character-embeddings"], "remove --character-embeddings"),
        ("lm", ["--decoder-input-dim", 16], "--decoder-output-dim 32 differs"),
        ("lm", ["--output-dictionary-size", 9], "--output-dictionary-size"),
        ("lm", ["--embedding-method", "alnoe"], "did you mean 'alone'"),
    ],
)
def test_what_cannot_work_is_refused(
    model: str, flags: list[object], line: str, build_other: Callable[..., Built]
) -> None:
    with pytest.raises(AloneError, match=line) as caught:
        build_other(model, *flags)
    assert "\n" not in str(caught.value)


def test_convs2s_needs_vectors_of_one_size(build_other: Callable[..., Built]) -> None:
    with pytest.raises(AloneError, match="--encoder-embed-dim 48 and --decoder-embed"):
        build_other("fconv", "--encoder-embed-dim", 48, tied=False)


def test_a_language_model_has_one_embedding_for_both_sides(
    build_other: Callable[..., Built],
) -> None:
    built = build_other("lm")
    for side in ("source", "target"):
        embedding, dictionary = side_of(built.model, built.task, side)
        assert embedding is built.model.decoder.embed_tokens
        assert len(dictionary) == embedding.num_embeddings


def test_a_language_model_keeps_some_layers(build_other: Callable[..., Built]) -> None:
    flags = ("--decoder-layers", 3, "--decoder-layers-to-keep", "0,2")
    built = build_other("lm", *flags)
    assert len(built.model.decoder.layers) == 2


def test_layers_of_convolutions_are_read_as_data(tmp_path: Path) -> None:
    text = "[(512, 3)] * 2 + [(1024, 1, 2)]"
    assert read_layers(text, "--x") == [(512, 3), (512, 3), (1024, 1, 2)]
    file = tmp_path / "made"
    code = [f"open({str(file)!r}, 'w')", "(lambda: 1)()", "[1] - [2]", "", "["]
    odd = ("[(0, 3)]", "[(8, 0)]", "[(8, 3, 2)]", "[(8, 3, -1)]", "[(8, 3)] * 9**99")
    for wrong in (*code, "4", "[3]", "[(8,)]", "[(8, 3.5)]", "[]", "True", *odd):
        with pytest.raises(AloneError, match="--x must be a list"):
            read_layers(wrong, "--x")
    assert not file.exists()


def test_where_a_decoder_attends() -> None:
    assert read_attention("True", 3) == [True] * 3
    assert read_attention("0", 1) == [False]
    assert read_attention("[True] + [False] * 2", 3) == [True, False, False]
    for wrong in ("maybe", "[True, True]", "['True'] * 3", "3", "None", "open('x')"):
        with pytest.raises(AloneError, match="--decoder-attention must be True, False"):
            read_attention(wrong, 3)


OTHER_SIZES = {
    "lstm": (
        "--encoder-embed-dim 16 --decoder-embed-dim 16 --decoder-out-embed-dim 16",
        {"--encoder-embed-dim", "--decoder-embed-dim"},
    ),
    "lstm, states": ("--encoder-hidden-size 48", {"--encoder-hidden-size"}),
    "lstm, both ways": ("--encoder-bidirectional", {"--encoder-bidirectional"}),
    "lstm, layers": (
        "--encoder-layers 2 --decoder-layers 2",
        {"--encoder-layers", "--decoder-layers"},
    ),
    "fconv": (
        "--encoder-embed-dim 16 --decoder-embed-dim 16 --decoder-out-embed-dim 16",
        {"--encoder-embed-dim", "--decoder-embed-dim"},
    ),
    "lm": ("--decoder-embed-dim 16", {"--decoder-embed-dim"}),
}


@pytest.mark.parametrize("case", OTHER_SIZES)
def test_a_state_of_other_sizes_is_refused(
    case: str, build_other: Callable[..., Built]
) -> None:
    """D_o is D here, and is not what the user has to mend."""
    model, (flags, names) = case.split(",")[0], OTHER_SIZES[case]
    as_vectors = ("--alone-base-dim", 0)
    for mine, theirs in ((flags.split(), ()), ((), flags.split())):
        state = build_other(model, *as_vectors, *theirs).model.state_dict()
        with pytest.raises(AloneError, match="the checkpoint has") as caught:
            build_other(model, *as_vectors, *mine).model.load_state_dict(state)
        there, here = str(caught.value).split("; the model has")
        for half in (there, here.split(":")[0]):
            assert set(re.findall("--[a-z-]+", half)) == names


STOCK = {
    "lstm": ("lstm", "--adaptive-softmax-cutoff 5"),  # which fairseq ignores here
    "fconv": ("fconv", "--share-input-output-embed"),
    "lm": ("transformer_lm_big", ""),  # whose sizes the flags replace
}


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_look_up_has_the_loss_and_gradients_of_fairseqs_own(
    model: str, build_other: Callable[..., Built], dictionaries: dict[str, Path]
) -> None:
    method = ("--embedding-method", "lookup")
    tied = ("--share-input-output-embed",) if model == "fconv" else ()
    mine = build_other(model, *method, *tied, tied=model != "fconv")
    arch, more = STOCK[model]
    words = [w for w in flags_of(model) if model != "fconv" or w not in UNTIED]
    start = words.index("--alone-inter-dim")
    del words[start : start + 4]
    words[words.index("--arch") + 1] = arch
    if model == "fconv":
        more += " --decoder-attention True"
    if model == "lm":
        more += " --decoder-attention-heads 4"
        more += " --decoder-input-dim 32 --decoder-output-dim 32"
    if model == "lstm":
        more += " --encoder-layers 1 --decoder-layers 1"
    stock = build_from([str(dictionaries["joint"]), *words, *more.split()])
    theirs = dict(stock.model.named_parameters())
    trained = dict(mine.model.named_parameters())
    with torch.no_grad():
        if "decoder.fc3.bias" in theirs:
            theirs["decoder.fc3.bias"].zero_()
        for name, parameter in trained.items():
            parameter.copy_(theirs[name.replace("tokens.vectors", "tokens.weight")])
    losses = []
    for built in (stock, mine):
        built.model.train()
        loss, *_ = built.criterion(built.model, batch_of(built))
        loss.backward()
        losses.append(loss.detach())
    torch.testing.assert_close(losses[1], losses[0])
    for name, parameter in trained.items():
        expected = theirs[name.replace("tokens.vectors", "tokens.weight")].grad
        torch.testing.assert_close(parameter.grad, expected, rtol=1e-4, atol=1e-5)
