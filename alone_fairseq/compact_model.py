"""What all models with compact embeddings share."""

from __future__ import annotations

import dataclasses
from argparse import Namespace
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from fairseq.data import Dictionary
from torch import Tensor, nn

from . import initial_values, size_report
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
from .layer_sizes import explain_layers
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


class CompactModel:
    """Put before one of fairseq's encoder-decoder models, as its first base class.

    A model writes how its encoder and decoder get what :func:`build_embedding` and
    :func:`build_output` make. Where they keep it under other names than fairseq's
    Transformer, or where there is one side only, it overrides :meth:`sides`,
    :meth:`output_layer` and :meth:`hidden_matrices`.

    Attributes:
        adds_up_batches: Whether an update is made of several batches in one process.
        num_updates: Updates that are done.
    """

    adds_up_batches = False
    num_updates = 0
    _size_is_known = False

    def sides(self) -> dict[str, tuple[CompactEmbedding, Dictionary]]:
        """Name the embeddings, each with the dictionary of its words.

        Returns:
            Those of ``source`` and ``target``, the same one twice where it is shared.
        """
        model: Any = self
        return {
            "source": (model.encoder.embed_tokens, model.encoder.dictionary),
            "target": (model.decoder.embed_tokens, model.decoder.dictionary),
        }

    def output_layer(self) -> OutputLayer:
        """Give what makes logits of the decoder's states."""
        model: Any = self
        layer: OutputLayer = model.decoder.output_projection
        return layer

    def compact_embeddings(self) -> list[CompactEmbedding]:
        """List the embeddings, a shared one once."""
        return list(dict.fromkeys(embedding for embedding, _ in self.sides().values()))

    def hidden_matrices(self) -> Iterator[nn.Parameter]:
        """Go through the parameters of the layers, whose matrices Muon may train."""
        model: Any = self
        for half in (model.encoder, model.decoder):
            yield from half.layers.parameters()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the model with each embedding's table built once for the whole pass.

        It is the call rather than ``forward``, which TorchScript compiles.
        """
        with self.one_table():
            return super().__call__(*args, **kwargs)  # type: ignore[misc] # fairseq's

    @contextmanager
    def one_table(self) -> Iterator[None]:
        """Build each embedding's table at most once inside ``with``.

        For a forward pass and the loss after it; see ``CompactEmbedding.one_table``.
        """
        with ExitStack() as stack:
            for embedding in self.compact_embeddings():
                stack.enter_context(embedding.one_table())
            yield

    @contextmanager
    def rows_only(self) -> Iterator[None]:
        """Let input build single rows inside ``with``: no softmax needs a table."""
        serving = [e for e in self.compact_embeddings() if e.serves_softmax]
        for embedding in serving:
            embedding.serves_softmax = False
        try:
            yield
        finally:
            for embedding in serving:
                embedding.serves_softmax = True

    def softmax_factors(self, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """Give the two factors of the logits.

        Args:
            hidden: Decoder states, ``(..., D)``, of a call with ``features_only``.

        Returns:
            States, ``(..., r)``, and weights, ``(V, r)``; r is D with most output
            layers and embeddings.
        """
        return self.output_layer().softmax_factors(hidden)

    def softmax_factors_of(
        self, hidden: Tensor, words: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Give the factors of the logits of some words.

        Args:
            hidden: As in :meth:`softmax_factors`.
            words: Word indices, int64, ``(K,)``.

        Returns:
            States, ``(..., r)``, and weights, ``(K, r)``.
        """
        return self.output_layer().factors_of(hidden, words)

    def softmax_bias(self) -> Tensor | None:
        """Give what is added to the logits, ``(V)``, if anything."""
        bias = self.output_layer().bias
        return None if bias is None else bias.values

    def set_num_updates(self, num_updates: int) -> None:
        """Learn how many updates are done, from fairseq's trainer before each batch.

        The trainer calls :meth:`all_reduce_grads` once an update, so from here on the
        micro-batches of an update can share a table.
        """
        super().set_num_updates(num_updates)  # type: ignore[misc] # fairseq's
        self.num_updates = num_updates
        for embedding in self.compact_embeddings():
            embedding.share_table_in_update(self.adds_up_batches)

    def load_state_dict(self, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
        """Load a state; one of other sizes is refused in a line that names the flags.

        Raises:
            AloneError: If encoder, decoder or embeddings have other sizes.
        """
        model: Any = super()
        try:
            return model.load_state_dict(state_dict, *args, **kwargs)
        except (AloneError, RuntimeError) as error:
            # Other sizes of the layers make other sizes of the embedding.
            me: Any = self
            line = explain_layers(state_dict, me.state_dict())
            if line is None:
                raise
            raise AloneError(line) from error

    def train(self, mode: bool = True) -> Any:
        """Switch the mode; before a training, the size of the embeddings is logged.

        Here, since models that only translate are built by the same function.
        """
        if mode and not self._size_is_known:
            self._size_is_known = True
            size_report.log_size(self)
        return super().train(mode)  # type: ignore[misc] # fairseq's

    def all_reduce_grads(self) -> None:
        """Complete the gradients of an update; fairseq's optimisers call this."""
        for embedding in self.compact_embeddings():
            embedding.pass_on_gradient()


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
    initial_values.add_flag(parser)
    for config in (*layer_configs(), *CONFIGS.values()):
        add_flags(parser, config, defaults=False)


def resolve_sizes(args: Namespace, task: Any) -> None:
    """Put a number in the place of a size that is ``auto:SHARE``.

    The share is of all tables that the model would have as look-up tables. Checkpoints
    hold the number.

    Args:
        args: All options of the run; changed in place.
        task: fairseq's task, with the dictionaries.

    Raises:
        AloneError: If there is no such method, or no size is small enough.
    """
    name = args.embedding_method
    method = find(EMBEDDINGS, name, "--embedding-method")
    source = table_size(task.source_dictionary, args.encoder_embed_dim)
    target = table_size(task.target_dictionary, args.decoder_embed_dim)
    shared = getattr(args, "share_all_embeddings", False)
    tables = [target] if shared else [source, target]
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
