"""What a model is made of by our options: flags, sizes, embeddings, output layer."""

from __future__ import annotations

import dataclasses
from argparse import Namespace
from typing import Any

from fairseq.data import Dictionary

from . import initial_values
from .embeddings import (
    CONFIGS,
    EMBEDDINGS,
    CompactEmbedding,
    TableSize,
    add_flags,
    build,
)
from .embeddings.free_size import resolve
from .embeddings.options import is_auto
from .errors import AloneError
from .names import find
from .optim import parameter_groups
from .output import (
    OUTPUT_LAYERS,
    OutputLayer,
    build_output_layer,
    chosen_output_layer,
    layer_configs,
    make_bias,
)


def add_compact_flags(parser: Any) -> None:
    """Add the method, the output layer, and every method's options.

    Values are checked when the model is built rather than by the parser, whose error
    would follow several hundred lines of usage.

    Args:
        parser: fairseq's parser, or a group of it.
    """
    parser.add_argument(
        "--embedding-method",
        metavar="METHOD",
        help=f"what makes the word vectors: {', '.join(EMBEDDINGS)}",
    )
    parser.add_argument(
        "--output-layer",
        metavar="LAYER",
        help=f"what makes the logits: {', '.join(OUTPUT_LAYERS)} [tied where"
        " --share-decoder-input-output-embed or --share-all-embeddings says so, else"
        " dense]",
    )
    parser.add_argument(
        "--softmax-bias",
        metavar="KIND",
        help="what is added to the logits: 'none' [none]; 'unigram', the logarithms of"
        " the words' relative frequencies by the dictionary's counts, fixed and not"
        " stored; or 'trained', V values that start there",
    )
    parser.add_argument(
        "--softmax-slice",
        metavar="WORDS",
        help="in validation and generation, make the vectors of so many words at a time"
        " for the softmax, anew for each batch or step, and never the table of all:"
        " less memory with a large vocabulary, and more time; 0 keeps the table [0]",
    )
    initial_values.add_flag(parser)
    for config in (*layer_configs(), *CONFIGS.values()):
        add_flags(parser, config, defaults=False)


def resolve_sizes(args: Namespace, tables: list[TableSize]) -> None:
    """Put a number in the place of a size that is ``auto:SHARE``.

    The share is of all tables that the model would have as look-up tables. Checkpoints
    hold the number.

    Args:
        args: All options of the run; changed in place.
        tables: Sizes of the model's tables, a shared one's once.

    Raises:
        AloneError: If there is no such method, or no size is small enough.
    """
    name = args.embedding_method
    method = find(EMBEDDINGS, name, "--embedding-method")
    found = resolve(method, CONFIGS[name].from_namespace(args), tables)
    for field in dataclasses.fields(found):
        if is_auto(getattr(args, field.name, None)):
            setattr(args, field.name, getattr(found, field.name))


def table_size(dictionary: Dictionary, dim: int) -> TableSize:
    """Give the size of a dictionary's table, with its symbols.

    Args:
        dictionary: Vocabulary with ``V`` symbols.
        dim: Vector size ``D``.
    """
    return TableSize(len(dictionary), dim, dictionary.pad(), dictionary.symbols)


def tables_of_sides(args: Namespace, task: Any) -> list[TableSize]:
    """List the sizes of the tables of an encoder-decoder model, a shared one's once.

    Args:
        args: All options of the run.
        task: fairseq's task, with the dictionaries.
    """
    source = table_size(task.source_dictionary, args.encoder_embed_dim)
    target = table_size(task.target_dictionary, args.decoder_embed_dim)
    return (
        [target] if getattr(args, "share_all_embeddings", False) else [source, target]
    )


def build_sides(
    args: Namespace, task: Any
) -> tuple[CompactEmbedding, CompactEmbedding]:
    """Build the embeddings of encoder and decoder, the same one where it is shared.

    Args:
        args: All options of the run.
        task: fairseq's task, with the dictionaries.
    """
    source = build_embedding(args, task.source_dictionary, args.encoder_embed_dim)
    if getattr(args, "share_all_embeddings", False):
        return source, source
    dictionary: Dictionary = task.target_dictionary
    return source, build_embedding(args, dictionary, args.decoder_embed_dim)


def build_embedding(options: Any, dictionary: Dictionary, dim: int) -> CompactEmbedding:
    """Build the embedding of one side, or of both where they are shared.

    Args:
        options: Options of the model.
        dictionary: Vocabulary with ``V`` symbols.
        dim: Vector size ``D``.
    """
    size = table_size(dictionary, dim)
    return build(options.embedding_method, options, size)


def build_output(
    options: Any, dictionary: Dictionary, embedding: CompactEmbedding, dim: int
) -> OutputLayer:
    """Build the output layer that the options ask for.

    Args:
        options: Options of the model.
        dictionary: The target vocabulary, with its counts.
        embedding: The embedding of the decoder's input.
        dim: Size of the decoder's states.
    """
    layer = build_output_layer(chosen_output_layer(options), embedding, dim, options)
    kind = getattr(options, "softmax_bias", None) or "none"
    counts, eos, specials = dictionary.count, dictionary.eos(), dictionary.nspecial
    layer.bias = make_bias(kind, counts, eos, specials)
    # A number where fairseq's --model-overrides gives it.
    given = getattr(options, "softmax_slice", None)
    at_once = "0" if given is None else str(given)
    if not at_once.isdecimal():
        raise AloneError(
            f"--softmax-slice must be a whole number from 0, not '{at_once}'"
        )
    if int(at_once):
        layer.slice_words(embedding, int(at_once))
    return layer


def prepare_training(model: Any, args: Namespace) -> None:
    """Give a new model its initial values, and tell how it is to be trained.

    Args:
        model: A :class:`CompactModel`.
        args: All options of the run or of the checkpoint.
    """
    initial_values.initialise(model, args)
    parameter_groups.mark_model(model)
    # Where there are several processes, fairseq exchanges gradients without asking
    # the model to complete them.
    alone = getattr(args, "distributed_world_size", 1) == 1
    model.adds_up_batches = alone and max(getattr(args, "update_freq", [1])) > 1
