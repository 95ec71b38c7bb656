"""Options of fairseq's that cannot work with compact embeddings."""

from __future__ import annotations

import re
from argparse import Namespace
from typing import Any

from .embeddings import EMBEDDINGS, refuse_options_of_others
from .embeddings.options import flag_of
from .errors import AloneError
from .output import chosen_output_layer, refuse_other_options

_SIZES = (
    "encoder_hidden_size",
    "decoder_hidden_size",
    "decoder_out_embed_dim",
    "decoder_input_dim",
    "decoder_output_dim",
    "encoder_ffn_embed_dim",
    "decoder_ffn_embed_dim",
    "encoder_attention_heads",
    "decoder_attention_heads",
)
"""Sizes of layers that fairseq does not check; those of words are checked with them."""


def refuse_unsupported(args: Namespace, task: Any) -> None:
    """Refuse combinations of options that cannot work, before any data is read.

    Args:
        args: All options of the run or of the checkpoint; a model that has no such
            option lacks it.
        task: fairseq's task, with the dictionaries.

    Raises:
        AloneError: On the first contradiction, in one line with the remedy.
    """

    def on(name: str) -> bool:
        return bool(getattr(args, name, None))

    method = getattr(args, "embedding_method", None)
    if method is None:
        raise AloneError(
            f"--arch {getattr(args, 'arch', 'transformer_compact')} needs"
            f" --embedding-method, one of {', '.join(EMBEDDINGS)}"
        )
    replaced = f"--embedding-method {method} replaces the embedding matrix"
    if on("encoder_embed_path") or on("decoder_embed_path"):
        raise AloneError(
            f"{replaced}: remove --encoder-embed-path and --decoder-embed-path"
        )
    if on("encoder_freeze_embed") or on("decoder_freeze_embed"):
        raise AloneError(
            f"{replaced}: remove --encoder-freeze-embed and --decoder-freeze-embed"
        )
    if on("character_embeddings"):
        raise AloneError(f"{replaced}: remove --character-embeddings")
    if on("adaptive_softmax_cutoff") or on("adaptive_input"):
        raise AloneError(
            f"{replaced}: remove --adaptive-softmax-cutoff and --adaptive-input"
        )
    if getattr(args, "criterion", None) == "adaptive_loss":
        raise AloneError(
            f"{replaced}, which has no adaptive softmax: use another --criterion than"
            " adaptive_loss, such as chunked_label_smoothed_cross_entropy"
        )
    if on("tie_adaptive_weights"):
        raise AloneError(f"{replaced}: remove --tie-adaptive-weights")
    if on("base_layers"):
        raise AloneError("--base-layers is not supported: set it to 0")
    if on("quant_noise_scalar"):
        raise AloneError(
            "--quant-noise-scalar would miss what makes the word vectors: remove it, or"
            " use --quant-noise-pq"
        )
    if getattr(args, "ddp_backend", None) == "fully_sharded":
        raise AloneError(
            "--ddp-backend fully_sharded would cut the shared embedding into pieces:"
            " use legacy_ddp or pytorch_ddp"
        )
    if on("merge_src_tgt_embed"):
        raise AloneError(
            "--merge-src-tgt-embed is not supported: run fairseq-preprocess with"
            " --joined-dictionary, and add --share-all-embeddings"
        )
    for name in _SIZES:
        _size(args, name)
    for side in ("encoder", "decoder"):
        _refuse_uneven_heads(args, side)
    refuse_other_options(args)
    if on("share_all_embeddings"):
        _refuse_two_sides(args, task)
    if chosen_output_layer(args) == "tied":
        _refuse_output_size(args)


def is_of_a_model(args: Namespace) -> bool:
    """Tell whether options are a model's, as a checkpoint has them.

    fairseq runs presets on both. A model is to stay as it was made: it may lack options
    that came later, and hold what older presets filled in for all methods.

    Args:
        args: Options.

    Returns:
        Whether they have the name that fairseq writes into those of a model.
    """
    return hasattr(args, "_name")


def refuse_other_methods(args: Namespace) -> None:
    """Refuse options of another embedding method than the chosen one.

    It is for the presets, which see the command line before they fill it in.

    Args:
        args: Options as the command line gave them.

    Raises:
        AloneError: In one line, if there is such an option with another value than its
            default.
    """
    method = getattr(args, "embedding_method", None)
    if method is not None:
        refuse_options_of_others(args, [method])


def _refuse_two_sides(args: Namespace, task: Any) -> None:
    encoder_dim, decoder_dim = args.encoder_embed_dim, args.decoder_embed_dim
    if encoder_dim != decoder_dim:
        raise AloneError(
            "--share-all-embeddings needs the same --encoder-embed-dim and"
            f" --decoder-embed-dim, they are {encoder_dim} and {decoder_dim}"
        )
    if task.source_dictionary != task.target_dictionary:
        raise AloneError(
            "--share-all-embeddings needs one dictionary for both languages: run"
            " fairseq-preprocess with --joined-dictionary"
        )


def _size(args: Namespace, name: str) -> int | None:
    # From the command line fairseq gives some sizes as text.
    value = getattr(args, name, None)
    if value is None:
        return None
    if not re.fullmatch(r"\s*\+?\d+\s*", str(value)) or int(value) < 1:
        raise AloneError(f"{flag_of(name)} must be a whole number from 1, not {value}")
    return int(value)


def _refuse_uneven_heads(args: Namespace, side: str) -> None:
    heads = _size(args, f"{side}_attention_heads")
    dim = _size(args, f"{side}_embed_dim")
    if heads and dim and dim % heads:
        raise AloneError(
            f"--{side}-attention-heads {heads} does not divide --{side}-embed-dim"
            f" {dim}: change one of them"
        )


def _refuse_output_size(args: Namespace) -> None:
    # LSTMs and ConvS2S have the first flag, Transformers the second; a language model's
    # words may have another size than its layers.
    flag, name = "--decoder-out-embed-dim", "decoder_out_embed_dim"
    if not hasattr(args, name):
        flag, name = "--decoder-output-dim", "decoder_output_dim"
    words = args.decoder_embed_dim
    if not hasattr(args, "encoder_embed_dim"):
        words = _size(args, "decoder_input_dim") or words
    states = _size(args, name) or args.decoder_embed_dim
    if states != words:
        raise AloneError(
            f"{flag} {states} differs from the embedding size {words}: the tied softmax"
            " needs them equal; --output-layer bilinear and joint do not"
        )
