"""fairseq's options of the Transformer work with every embedding."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from fairseq.sequence_generator import SequenceGenerator

from alone_fairseq.errors import AloneError
from alone_fairseq.output import DenseProjection, TiedProjection
from tests.fairseq.built_models import Built, logits, make_batch, train
from tests.methods import FLAGS

VARIANTS = {
    "all tied": [],
    "decoder tied": ["separate", "--share-decoder-input-output-embed"],
    "decoder tied, one dictionary": ["untied", "--share-decoder-input-output-embed"],
    "nothing tied": ["separate"],
    "embeddings of two sizes": ["separate", "--decoder-embed-dim", 48],
    "unscaled": ["--no-scale-embedding"],
    "embeddings normalised": ["--layernorm-embedding"],
    "normalised after": ["after"],
    "learned positions": ["--encoder-learned-pos", "--decoder-learned-pos"],
    "no positions": ["--no-token-positional-embeddings"],
    "layer drop": ["--encoder-layerdrop", 0.5, "--decoder-layerdrop", 0.5],
    "noise, products": ["--quant-noise-pq", 0.1, "--quant-noise-pq-block-size", 4],
    "recomputed layers": ["--checkpoint-activations"],
    "half precision": ["--fp16", "--fp16-no-flatten-grads"],
    "half precision, thrifty": ["--memory-efficient-fp16"],
}


def trained_parameters(model: Any) -> dict[str, torch.Tensor]:
    named = model.named_parameters()
    return {n: p.detach().clone() for n, p in named if p.requires_grad}


FEW = {"low_rank": ["decoder tied", "nothing tied"], "random": ["decoder tied"]}


@pytest.mark.parametrize(
    ("method", "variant"),
    [
        (method, variant)
        for method in FLAGS
        for variant in (
            VARIANTS if method == "alone-real" else FEW.get(method, ["all tied"])
        )
    ],
)
def test_option_works(
    method: str,
    variant: str,
    build: Callable[..., Built],
    methods: dict[str, list[str]],
) -> None:
    learning = ("--warmup-updates", 1, "--lr", 0.002, "--dropout", 0)
    built = build(*methods[method], *VARIANTS[variant], *learning)
    before = trained_parameters(built.model)
    losses = train(built, 3)
    assert losses[-1] < losses[0]
    if "layer drop" not in variant:  # a dropped layer learns nothing
        after = trained_parameters(built.model)
        unchanged = {n for n in before if torch.equal(after[n].float(), before[n])}
        # The softmax over positions does not see what is added to all keys.
        assert all(name.endswith("k_proj.bias") for name in unchanged)

    again = built.task.build_model(built.args)
    again.load_state_dict(built.model.state_dict())
    again.to(next(built.model.parameters()).dtype)
    batch = make_batch(built.task)
    torch.testing.assert_close(logits(again, batch), logits(built.model, batch))
    generator = SequenceGenerator(
        [built.model], built.task.target_dictionary, beam_size=2, max_len_b=5
    )
    found = generator.generate([built.model], batch)
    assert len(found) == 2
    assert all(torch.isfinite(sentence[0]["score"]) for sentence in found)


def test_tying_is_what_the_flags_say(build: Callable[..., Built]) -> None:
    def embeddings(model: Any) -> tuple[Any, Any]:
        return model.encoder.embed_tokens, model.decoder.embed_tokens

    model = build().model
    encoder, decoder = embeddings(model)
    assert encoder is decoder
    assert model.decoder.output_projection.embedding is decoder

    for words in ("separate", "untied"):
        model = build(words, "--share-decoder-input-output-embed").model
        encoder, decoder = embeddings(model)
        assert encoder is not decoder
        assert model.decoder.output_projection.embedding is decoder

    model = build("separate").model
    encoder, decoder = embeddings(model)
    assert encoder is not decoder
    assert type(model.decoder.output_projection) is DenseProjection
    assert model.decoder.output_projection.weight.shape == (
        decoder.num_embeddings,
        decoder.embedding_dim,
    )


@pytest.mark.parametrize(
    ("flags", "tied"),
    [(["--output-layer", "dense"], False), (["separate", "--output-layer", "tied"], 1)],
)
def test_the_output_layer_can_be_chosen(
    flags: list[str], tied: bool, build: Callable[..., Built]
) -> None:
    learning = ("--warmup-updates", 1, "--lr", 0.002, "--dropout", 0)
    built = build(*flags, *learning)
    layer, embedding = built.model.output_layer(), built.model.decoder.embed_tokens
    assert isinstance(layer, TiedProjection if tied else DenseProjection)
    assert embedding.serves_softmax == bool(tied)
    losses = train(built, 3)
    assert losses[-1] < losses[0]


def test_a_misspelt_output_layer(build: Callable[..., Built]) -> None:
    with pytest.raises(AloneError, match=r"--output-layer 'tie'.*did you mean 'tied'"):
        build("--output-layer", "tie")


def test_names_in_a_checkpoint_stay(build: Callable[..., Built]) -> None:
    tied = build().model.state_dict()
    table = {name for name in tied if name.startswith("encoder.embed_tokens.")}
    for place in ("decoder.embed_tokens.", "decoder.output_projection.embedding."):
        mine = {name.replace("encoder.embed_tokens.", place) for name in table}
        assert mine == {name for name in tied if name.startswith(place)}
    untied = build("untied").model.state_dict()
    output = [name for name in untied if "output_projection" in name]
    assert output == ["decoder.output_projection.weight"]
