"""Presets for ``--arch``: ``transformer_<method>_<size>``.

Every method has one preset a size. A size is fairseq's own Transformer of that name,
or one described below. A method's options keep their defaults, which are the
paper's, except for what the method's own ``sizes`` say. As with fairseq's presets,
embeddings are tied by ``--share-all-embeddings``.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from typing import Any

from fairseq.models import register_model_architecture
from fairseq.models.transformer.transformer_legacy import (
    base_architecture,
    transformer_iwslt_de_en,
    transformer_wmt_en_de,
)

from . import transformer  # noqa: F401 (registers the model that presets belong to)
from .bfloat16 import stay_off_tpus
from .embeddings import CONFIGS, for_each_method


def transformer_multi30k(args: Namespace) -> None:
    """Set Transformer-Tiny: 4 + 4 layers, D = 128, inner size 256, 4 heads."""
    _small(args, layers=4)


def transformer_toy(args: Namespace) -> None:
    """Set a model that learns the toy corpus on a CPU: 2 + 2 layers, else as Tiny."""
    _small(args, layers=2)


def _small(args: Namespace, layers: int) -> None:
    for side in ("encoder", "decoder"):
        _default(args, f"{side}_layers", layers)
        _default(args, f"{side}_embed_dim", 128)
        _default(args, f"{side}_ffn_embed_dim", 256)
        _default(args, f"{side}_attention_heads", 4)
    base_architecture(args)


def _default(args: Namespace, name: str, value: Any) -> None:
    # fairseq runs presets twice: what is set, by whom ever, stays.
    setattr(args, name, getattr(args, name, value))


SIZES: dict[str, Callable[[Namespace], None]] = {
    "acl_titles": transformer_multi30k,
    # Transformer base, D = 512.
    "gigaword": base_architecture,
    "reuters_headlines": transformer_multi30k,
    "wmt_en_de": transformer_wmt_en_de,
    "iwslt_de_en": transformer_iwslt_de_en,
    "multi30k": transformer_multi30k,
    "tatoeba_en_de": transformer_multi30k,
    "toy": transformer_toy,
}


def preset(method: str, size: str) -> Callable[[Namespace], None]:
    """Make the preset of a method and a size.

    Args:
        method: Registered embedding method.
        size: Key of ``SIZES``.

    Returns:
        A function that fills in what the user left open.
    """

    def fill(args: Namespace) -> None:
        stay_off_tpus(args)
        _default(args, "embedding_method", method)
        # Of all methods, since --embedding-method may name another.
        for config in CONFIGS.values():
            for name, value in config.sizes.get(size, {}).items():
                _default(args, name, value)
        SIZES[size](args)

    return fill


def register_presets(method: str) -> None:
    """Register the presets of a method, one a size.

    Args:
        method: Registered embedding method.
    """
    for size in SIZES:
        register_model_architecture(
            "transformer_compact", f"transformer_{method}_{size}"
        )(preset(method, size))


for_each_method(register_presets)


@register_model_architecture("transformer_compact", "transformer_compact")
def transformer_compact(args: Namespace) -> None:
    """Set fairseq's base sizes; ``--embedding-method`` is left to the user."""
    stay_off_tpus(args)
    base_architecture(args)
