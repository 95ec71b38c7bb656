"""Registration of methods, and the presets that follow from it."""

from argparse import SUPPRESS, ArgumentParser, Namespace
from dataclasses import dataclass

import pytest
from fairseq.models import ARCH_CONFIG_REGISTRY, MODEL_REGISTRY

from alone_fairseq.embeddings import (
    CONFIGS,
    EMBEDDINGS,
    TableSize,
    build,
    register_embedding,
)
from alone_fairseq.embeddings.options import MethodOptions, option
from alone_fairseq.errors import AloneError
from alone_fairseq.presets import SIZES
from alone_fairseq.transformer import CompactTransformerModel


@dataclass
class MisnamedConfig(MethodOptions):
    layers: int = option(1, "fairseq would take this for the number of layers")


@dataclass
class EmptyConfig(MethodOptions):
    """No options."""


def test_the_model_is_ours() -> None:
    assert MODEL_REGISTRY["transformer_compact"] is CompactTransformerModel


def test_every_method_has_a_preset_of_every_size() -> None:
    for method in EMBEDDINGS:
        for size in SIZES:
            assert f"transformer_{method}_{size}" in ARCH_CONFIG_REGISTRY


@pytest.mark.parametrize("name", ["alone", "random"])
def test_a_name_is_registered_once(name: str) -> None:
    with pytest.raises(ValueError, match="twice"):
        register_embedding(name, EmptyConfig)


@pytest.mark.parametrize("name", ["Alone", "low-rank", "two words", ""])
def test_names_are_in_snake_case(name: str) -> None:
    with pytest.raises(ValueError, match="snake_case"):
        register_embedding(name, EmptyConfig)


def test_fields_start_with_the_name() -> None:
    with pytest.raises(ValueError, match="does not start with 'new_'"):
        register_embedding("new", MisnamedConfig)


def test_presets_fill_in_and_may_run_twice() -> None:
    args = Namespace(alone_inter_dim=77)
    for _ in range(2):
        ARCH_CONFIG_REGISTRY["transformer_alone_multi30k"](args)
    assert args.alone_inter_dim == 77
    assert args.embedding_method == "alone"
    assert (args.encoder_layers, args.decoder_layers) == (4, 4)
    assert (args.encoder_embed_dim, args.encoder_ffn_embed_dim) == (128, 256)
    assert args.decoder_attention_heads == 4


@pytest.mark.parametrize(
    ("size", "dim", "inner", "heads"),
    [("wmt_en_de", 512, 2048, 8), ("iwslt_de_en", 512, 1024, 4)],
)
def test_large_presets_are_those_of_fairseq(
    size: str, dim: int, inner: int, heads: int
) -> None:
    args = Namespace()
    ARCH_CONFIG_REGISTRY[f"transformer_alone_{size}"](args)
    assert args.encoder_embed_dim == args.decoder_embed_dim == dim
    assert args.encoder_ffn_embed_dim == inner
    assert args.encoder_attention_heads == heads
    assert args.encoder_layers == args.decoder_layers == 6


def test_every_option_is_a_flag_with_help_and_default() -> None:
    parser = ArgumentParser()
    CompactTransformerModel.add_args(parser)
    described = {action.dest: action.help or "" for action in parser._actions}
    for config in CONFIGS.values():
        for name, field in config.__dataclass_fields__.items():
            if not name.startswith("_"):
                assert f"[{field.default}]" in described[name]


def test_flags_do_not_hide_presets() -> None:
    # fairseq's own way to leave out what the user did not give
    parser = ArgumentParser()
    group = parser.add_argument_group("model", argument_default=SUPPRESS)
    CompactTransformerModel.add_args(group)
    given = vars(parser.parse_args([]))
    assert not [name for name in given if name.startswith(("alone_", "low_rank_"))]


@pytest.mark.parametrize(
    ("name", "hint"),
    [("alnoe", "did you mean 'alone'"), ("lowrank", "did you mean 'low_rank'")],
)
def test_a_misspelt_method(name: str, hint: str) -> None:
    with pytest.raises(AloneError, match=hint):
        build(name, Namespace(), TableSize(10, 4, 1))


@pytest.mark.parametrize(
    ("method", "option_name", "value"),
    [("low_rank", "low_rank_dim", 0), ("random", "random_table_seed", -1)],
)
def test_options_out_of_range(method: str, option_name: str, value: int) -> None:
    flag = "--" + option_name.replace("_", "-")
    with pytest.raises(AloneError, match=flag):
        build(method, Namespace(**{option_name: value}), TableSize(10, 4, 1))
