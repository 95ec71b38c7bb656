"""A model of some layers of a checkpoint, whatever the embedding's own are called."""

from argparse import Namespace
from collections.abc import Callable
from typing import Any

import pytest
import torch

from alone_fairseq.kept_layers import keep_layers
from tests.fairseq.built_models import Built

METHODS = {
    "alone": ["--alone-num-layers", 3, "--alone-relu-dropout", 0],
    "define": ["--embedding-method", "define", "--define-input-dim", 8],
    "low_rank": ["--embedding-method", "low_rank", "--low-rank-dim", 5],
}
LAYERS = ("--encoder-layers", 4, "--decoder-layers", 3)


@pytest.mark.parametrize(
    ("encoder", "decoder"), [("0,2", "1"), ("3,1", None), (None, "0,2"), (None, None)]
)
@pytest.mark.parametrize("method", METHODS)
def test_layers_are_kept(
    method: str, encoder: str | None, decoder: str | None, build: Callable[..., Built]
) -> None:
    whole = build(*METHODS[method], *LAYERS).model
    numbers = [
        sorted(map(int, kept.split(","))) if kept else list(range(count))
        for kept, count in ((encoder, 4), (decoder, 3))
    ]
    sizes = (
        *("--encoder-layers", len(numbers[0])),
        *("--decoder-layers", len(numbers[1])),
    )
    # As fairseq's programs have it after --model-overrides.
    options = Namespace(encoder_layers_to_keep=encoder, decoder_layers_to_keep=decoder)
    small = build(*METHODS[method], *sizes).model
    small.load_state_dict(whole.state_dict(), model_cfg=options)
    for side, kept in zip(("encoder", "decoder"), numbers, strict=True):
        for mine, number in enumerate(kept):
            theirs = getattr(whole, side).layers[number].state_dict()
            same(getattr(small, side).layers[mine].state_dict(), theirs)
    words = torch.arange(4, 30)
    embeddings = (each.encoder.embed_tokens.eval()(words) for each in (small, whole))
    assert torch.equal(*embeddings)
    # What was saved with some layers is read with the same options.
    again = build(*METHODS[method], *sizes).model
    again.load_state_dict(small.state_dict(), model_cfg=options)
    same(again.state_dict(), small.state_dict())


def same(found: dict[str, Any], expected: dict[str, Any]) -> None:
    assert found.keys() == expected.keys()
    assert all(torch.equal(value, expected[name]) for name, value in found.items())


@pytest.mark.parametrize("options", [None, Namespace()])
def test_without_options_a_state_stays_as_it_is(options: Any) -> None:
    state = {"encoder.layers.0.weight": 1, "decoder.layers.7.bias": 2}
    assert keep_layers(state, options) is state
