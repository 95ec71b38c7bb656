"""Presets for ``--arch``: ``<model>_<method>_<size>``.

Every method has one preset a model and size. A size is fairseq's own of that name, or
one described below. A method's options keep their defaults, which are the papers',
except for what the method's own ``sizes`` say. Where these learn otherwise than the
paper does, ``..._published`` is the preset that learns as it does. As with fairseq's
presets, embeddings are tied by ``--share-all-embeddings``.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Mapping
from typing import Any

from fairseq.models import fconv, lstm, register_model_architecture, transformer_lm
from fairseq.models.transformer import transformer_legacy

# Imported for the models that the presets belong to, which they register.
from . import convs2s, language_model, transformer  # noqa: F401
from . import lstm as compact_lstm  # noqa: F401
from .bfloat16 import stay_off_tpus
from .embeddings import CONFIGS, for_each_method
from .embeddings.options import FAST_PRESET
from .refused_options import is_of_a_model, refuse_other_methods

Fill = Callable[[Namespace], None]
"""Sets the options of a size that the user left open."""


def transformer_multi30k(args: Namespace) -> None:
    """Set Transformer-Tiny: 4 + 4 layers, D = 128, inner size 256, 4 heads."""
    _small_transformer(args, layers=4)


def transformer_small(args: Namespace) -> None:
    """Set Transformer-Tiny, normalised before each sublayer, as fast learning wants."""
    for side in ("encoder", "decoder"):
        _default(args, f"{side}_normalize_before", True)
    transformer_multi30k(args)


def transformer_toy(args: Namespace) -> None:
    """Set a model that learns the toy corpus on a CPU: 2 + 2 layers, else as Tiny."""
    _small_transformer(args, layers=2)


def _small_transformer(args: Namespace, layers: int) -> None:
    for side in ("encoder", "decoder"):
        _default(args, f"{side}_layers", layers)
        _default(args, f"{side}_embed_dim", 128)
        _default(args, f"{side}_ffn_embed_dim", 256)
        _default(args, f"{side}_attention_heads", 4)
    transformer_legacy.base_architecture(args)


def lstm_pappas(args: Namespace) -> None:
    """Set the LSTM of Pappas et al. (2018): 2 + 2 layers, all sizes 512, dropout 0.3.

    The published program's encoder reads forwards only, as here without
    ``--encoder-bidirectional``.
    """
    _default(args, "dropout", 0.3)
    _lstm(args, layers=2, dim=512)


def lstm_small(args: Namespace) -> None:
    """Set an LSTM for a CPU: 2 + 2 layers, all sizes 128."""
    _lstm(args, layers=2, dim=128)


def lstm_toy(args: Namespace) -> None:
    """Set an LSTM that learns the toy corpus on a CPU: 1 + 1 layers of 128."""
    _lstm(args, layers=1, dim=128)


def lstm_base(args: Namespace) -> None:
    """Set fairseq's base sizes, without the cutoffs of an adaptive softmax."""
    _default(args, "adaptive_softmax_cutoff", None)
    lstm.base_architecture(args)


def _lstm(args: Namespace, layers: int, dim: int) -> None:
    for side in ("encoder", "decoder"):
        _default(args, f"{side}_layers", layers)
        _default(args, f"{side}_embed_dim", dim)
    _default(args, "decoder_out_embed_dim", dim)
    lstm_base(args)


def fconv_toy(args: Namespace) -> None:
    """Set a ConvS2S that learns the toy corpus on a CPU: 2 + 2 layers of 128."""
    for side in ("encoder", "decoder"):
        _default(args, f"{side}_layers", "[(128, 3)] * 2")
        _default(args, f"{side}_embed_dim", 128)
    _default(args, "decoder_out_embed_dim", 128)
    fconv.base_architecture(args)


def lm_multi30k(args: Namespace) -> None:
    """Set a language model like the decoder of Transformer-Tiny."""
    _small_lm(args, layers=4)


def lm_toy(args: Namespace) -> None:
    """Set a language model for tests on a CPU: 2 layers, else as Tiny."""
    _small_lm(args, layers=2)


def _small_lm(args: Namespace, layers: int) -> None:
    _default(args, "decoder_layers", layers)
    _default(args, "decoder_embed_dim", 128)
    _default(args, "decoder_ffn_embed_dim", 256)
    _default(args, "decoder_attention_heads", 4)
    transformer_lm.base_lm_architecture(args)


def _default(args: Namespace, name: str, value: Any) -> None:
    # fairseq runs presets twice: what is set, by whom ever, stays.
    setattr(args, name, getattr(args, name, value))


SIZES: dict[str, Fill] = {
    "acl_titles": transformer_multi30k,
    # Transformer base, D = 512.
    "gigaword": transformer_legacy.base_architecture,
    "reuters_headlines": transformer_multi30k,
    "wmt_en_de": transformer_legacy.transformer_wmt_en_de,
    "iwslt_de_en": transformer_legacy.transformer_iwslt_de_en,
    "multi30k": transformer_multi30k,
    "tatoeba_en_de": transformer_multi30k,
    FAST_PRESET: transformer_small,
    "toy": transformer_toy,
}
"""Sizes of the Transformer."""

FAMILIES: dict[str, tuple[str, Fill, Mapping[str, Fill]]] = {
    "transformer": ("transformer_compact", transformer_legacy.base_architecture, SIZES),
    "lstm": (
        "lstm_compact",
        lstm_base,
        {
            "multi30k": lstm_small,
            "tatoeba_en_de": lstm_small,
            "toy": lstm_toy,
            "wmt_en_de": lstm_pappas,
        },
    ),
    "fconv": (
        "fconv_compact",
        fconv.base_architecture,
        {
            "iwslt_de_en": fconv.fconv_iwslt_de_en,
            "multi30k": fconv.fconv_iwslt_de_en,
            "tatoeba_en_de": fconv.fconv_iwslt_de_en,
            "toy": fconv_toy,
            "wmt_en_de": fconv.fconv_wmt_en_de,
        },
    ),
    "transformer_lm": (
        "transformer_lm_compact",
        transformer_lm.base_lm_architecture,
        {"base": transformer_lm.base_lm_architecture, "multi30k": lm_multi30k}
        | {"toy": lm_toy},
    ),
}
"""By the beginning of the presets' names: the model, its usual sizes, its presets'."""


def preset(method: str, size: str, sizes: Fill, published: bool = False) -> Fill:
    """Make the preset of a method and a size.

    Args:
        method: Registered embedding method.
        size: Name of the size, by which methods may have options of their own.
        sizes: Sets the model's sizes.
        published: Whether the method is to learn as its paper does.

    Returns:
        A function that fills in what the user left open.
    """

    def fill(args: Namespace) -> None:
        stay_off_tpus(args)
        _default(args, "embedding_method", method)
        # It may be named as another method, and wrongly.
        config = CONFIGS.get(args.embedding_method)
        if config and not is_of_a_model(args):
            refuse_other_methods(args)
            for name, value in config.in_preset(size, published).items():
                _default(args, name, value)
        sizes(args)

    return fill


def register_presets(method: str) -> None:
    """Register the presets of a method, one or two a model and size.

    Args:
        method: Registered embedding method.
    """
    for family, (model, _, sizes) in FAMILIES.items():
        for size, fill in sizes.items():
            name = f"{family}_{method}_{size}"
            register_model_architecture(model, name)(preset(method, size, fill))
            if CONFIGS[method].published_sizes and size != FAST_PRESET:
                register_model_architecture(model, f"{name}_published")(
                    preset(method, size, fill, published=True)
                )


def register_plain(model: str, sizes: Fill) -> None:
    """Register the architecture that leaves ``--embedding-method`` to the user.

    Args:
        model: Name of the model, and of the architecture.
        sizes: Sets fairseq's base sizes.
    """

    def fill(args: Namespace) -> None:
        stay_off_tpus(args)
        if not is_of_a_model(args):
            refuse_other_methods(args)
        sizes(args)

    register_model_architecture(model, model)(fill)


for_each_method(register_presets)
for _model, _sizes, _ in FAMILIES.values():
    register_plain(_model, _sizes)
