"""The Transformer with a compact embedding: the coupling to fairseq's model."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from fairseq.data import Dictionary
from fairseq.dataclass.utils import gen_parser_from_dataclass
from fairseq.models import register_model
from fairseq.models.transformer import TransformerDecoderBase, TransformerModel
from fairseq.tasks import FairseqTask
from torch import Tensor

from . import initial_values
from .embeddings import (
    CONFIGS,
    EMBEDDINGS,
    CompactEmbedding,
    TableSize,
    add_flags,
    build,
)
from .errors import AloneError
from .length_control import options as length_options
from .length_control.decoder import LengthDecoder
from .length_control.encoder import LengthEncoder
from .optim import parameter_groups
from .output import TiedProjection


@register_model("transformer_compact")
class CompactTransformerModel(TransformerModel):
    """fairseq's Transformer with the embedding chosen by ``--embedding-method``.

    The embedding also scores the output where fairseq's
    ``--share-decoder-input-output-embed`` or ``--share-all-embeddings`` says so;
    otherwise the output layer is fairseq's dense one.

    Attributes:
        adds_up_batches: Whether an update is made of several batches in one process.
    """

    adds_up_batches = False
    decoder_class = TransformerDecoderBase

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the model with each embedding's table built once for the whole pass.

        It is the call rather than ``forward``, which TorchScript compiles.
        """
        with self.one_table():
            return super().__call__(*args, **kwargs)

    @contextmanager
    def one_table(self) -> Iterator[None]:
        """Build each embedding's table at most once inside ``with``.

        For a forward pass and the loss after it; see ``CompactEmbedding.one_table``.
        """
        with ExitStack() as stack:
            for embedding in self.compact_embeddings():
                stack.enter_context(embedding.one_table())
            yield

    def softmax_factors(self, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """Give the two factors of the logits.

        Args:
            hidden: Decoder states, ``(..., D)``, of a call with ``features_only``.

        Returns:
            States, ``(..., r)``, and weights, ``(V, r)``; r is D with most embeddings
            and with an output layer that is not tied.
        """
        projection = self.decoder.output_projection
        if isinstance(projection, TiedProjection):
            return projection.embedding.softmax_factors(hidden)
        return hidden, projection.weight

    def compact_embeddings(self) -> Iterator[CompactEmbedding]:
        """Go through the embeddings, a shared one once."""
        return (each for each in self.modules() if isinstance(each, CompactEmbedding))

    def set_num_updates(self, num_updates: int) -> None:
        """Learn how many updates are done, from fairseq's trainer before each batch.

        The trainer calls :meth:`all_reduce_grads` once an update, so from here on the
        micro-batches of an update can share a table.
        """
        super().set_num_updates(num_updates)
        for embedding in self.compact_embeddings():
            embedding.share_table_in_update(self.adds_up_batches)

    def all_reduce_grads(self) -> None:
        """Complete the gradients of an update; fairseq's optimisers call this."""
        for embedding in self.compact_embeddings():
            embedding.pass_on_gradient()

    @classmethod
    def add_args(cls, parser: Any) -> None:
        """Add fairseq's Transformer flags, the method and every method's options.

        Values are checked when the model is built rather than by the parser, whose
        error would follow several hundred lines of usage.
        """
        super().add_args(parser)
        parser.add_argument(
            "--embedding-method",
            metavar="METHOD",
            help=f"what makes the word vectors: {', '.join(EMBEDDINGS)}",
        )
        initial_values.add_flag(parser)
        for config in CONFIGS.values():
            add_flags(parser, config, defaults=False)
        length_config = length_options.LengthControlConfig()
        gen_parser_from_dataclass(parser, length_config, delete_default=True)

    @classmethod
    def build_model(cls, args: Namespace, task: FairseqTask) -> CompactTransformerModel:
        """Build the model, after refusing options that cannot work.

        Args:
            args: All options of the run or of the checkpoint.
            task: Task with the dictionaries.

        Raises:
            AloneError: If options contradict one another.
        """
        refuse_unsupported(args, task)
        length_options.refuse_unsupported(args, task)
        kind = LengthControlledModel if length_options.is_controlled(args) else cls
        model: CompactTransformerModel = super(
            CompactTransformerModel, kind
        ).build_model(args, task)
        initial_values.initialise(model, task, args)
        parameter_groups.mark_model(model)
        # Where there are several processes, fairseq exchanges gradients without asking
        # the model to complete them.
        alone = getattr(args, "distributed_world_size", 1) == 1
        model.adds_up_batches = alone and max(getattr(args, "update_freq", [1])) > 1
        return model

    @classmethod
    def build_embedding(
        cls, cfg: Any, dictionary: Dictionary, embed_dim: int, path: str | None = None
    ) -> CompactEmbedding:
        """Build the embedding of one side, or of both where they are shared.

        Args:
            cfg: fairseq's Transformer configuration with our options beside it.
            dictionary: Vocabulary with ``V`` symbols.
            embed_dim: Vector size ``D``.
            path: Refused before; only fairseq's own matrix can be read from a file.
        """
        del path
        size = TableSize(len(dictionary), embed_dim, dictionary.pad())
        return build(cfg.embedding_method, cfg, size)

    @classmethod
    def build_decoder(
        cls, cfg: Any, tgt_dict: Dictionary, embed_tokens: CompactEmbedding
    ) -> TransformerDecoderBase:
        """Build fairseq's decoder, with a tied output layer where that is asked for."""
        tied = cfg.share_decoder_input_output_embed
        return cls.decoder_class(
            cfg,
            tgt_dict,
            embed_tokens,
            no_encoder_attn=cfg.no_cross_attention,
            output_projection=TiedProjection(embed_tokens) if tied else None,
        )


class LengthControlledModel(CompactTransformerModel):
    """The same model, told how long its output is to be.

    It is what ``--length-lrpe`` and ``--length-ldpe`` build; no other model has any
    part in it. Parameters have the same names and shapes.
    """

    decoder_class = LengthDecoder

    @classmethod
    def build_encoder(
        cls, cfg: Any, src_dict: Dictionary, embed_tokens: CompactEmbedding
    ) -> LengthEncoder:
        """Build the encoder that passes the length to the decoder."""
        return LengthEncoder(cfg, src_dict, embed_tokens)

    # Only what fairseq's model takes, and the lengths: TorchScript knows no **kwargs.
    def forward(
        self,
        src_tokens: Tensor,
        src_lengths: Tensor,
        prev_output_tokens: Tensor,
        return_all_hiddens: bool = True,
        features_only: bool = False,
        alignment_layer: int | None = None,
        alignment_heads: int | None = None,
        target_lengths: Tensor | None = None,
    ) -> tuple[Tensor, dict[str, list[Tensor | None]]]:
        """Score target tokens; see fairseq's Transformer.

        Args:
            src_tokens: Source tokens, ``(B, S)``.
            src_lengths: Source lengths, ``(B,)``.
            prev_output_tokens: Target tokens after an end of sentence, ``(B, T)``.
            return_all_hiddens: Whether to return all layers' states.
            features_only: Whether to leave the output layer out.
            alignment_layer: Layer whose attention is returned.
            alignment_heads: Heads whose attention is averaged.
            target_lengths: Target tokens with the end of sentence, ``(B,)``.

        Returns:
            Logits ``(B, T, V)``, and attention and states.
        """
        encoder_out = self.encoder(
            src_tokens,
            src_lengths=src_lengths,
            return_all_hiddens=return_all_hiddens,
            target_lengths=target_lengths,
        )
        return self.decoder(  # type: ignore[no-any-return]
            prev_output_tokens,
            encoder_out=encoder_out,
            features_only=features_only,
            alignment_layer=alignment_layer,
            alignment_heads=alignment_heads,
            src_lengths=src_lengths,
            return_all_hiddens=return_all_hiddens,
        )


def refuse_unsupported(args: Namespace, task: FairseqTask) -> None:
    """Refuse combinations of options that cannot work, before any data is read.

    Args:
        args: All options of the run or of the checkpoint.
        task: Task with the dictionaries.

    Raises:
        AloneError: On the first contradiction, in one line with the remedy.
    """

    def on(name: str) -> bool:
        return bool(getattr(args, name, None))

    method = getattr(args, "embedding_method", None)
    if method is None:
        raise AloneError(
            "--arch transformer_compact needs --embedding-method, one of"
            f" {', '.join(EMBEDDINGS)}"
        )
    replaced = f"--embedding-method {method} replaces the embedding matrix"
    if on("encoder_embed_path") or on("decoder_embed_path"):
        raise AloneError(
            f"{replaced}: remove --encoder-embed-path and --decoder-embed-path"
        )
    if on("adaptive_softmax_cutoff") or on("adaptive_input"):
        raise AloneError(
            f"{replaced}: remove --adaptive-softmax-cutoff and --adaptive-input"
        )
    if on("tie_adaptive_weights"):
        raise AloneError(f"{replaced}: remove --tie-adaptive-weights")
    if getattr(args, "base_layers", 0):
        raise AloneError("--base-layers is not supported: set it to 0")
    if getattr(args, "quant_noise_scalar", 0):
        raise AloneError(
            "--quant-noise-scalar would miss what makes the word vectors: remove it, or"
            " use --quant-noise-pq"
        )
    if getattr(args, "ddp_backend", None) == "fully_sharded":
        raise AloneError(
            "--ddp-backend fully_sharded would cut the shared embedding into pieces:"
            " use legacy_ddp or pytorch_ddp"
        )
    _refuse_sizes(args, task)


def _refuse_sizes(args: Namespace, task: FairseqTask) -> None:
    encoder_dim, decoder_dim = args.encoder_embed_dim, args.decoder_embed_dim
    output_dim = getattr(args, "decoder_output_dim", None) or decoder_dim
    if args.share_all_embeddings and encoder_dim != decoder_dim:
        raise AloneError(
            "--share-all-embeddings needs the same --encoder-embed-dim and"
            f" --decoder-embed-dim, they are {encoder_dim} and {decoder_dim}"
        )
    if args.share_all_embeddings and task.source_dictionary != task.target_dictionary:
        raise AloneError(
            "--share-all-embeddings needs one dictionary for both languages: run"
            " fairseq-preprocess with --joined-dictionary"
        )
    tied = args.share_all_embeddings or args.share_decoder_input_output_embed
    if tied and output_dim != decoder_dim:
        raise AloneError(
            f"--decoder-output-dim {output_dim} differs from the embedding size"
            f" {decoder_dim}: the tied softmax needs them equal"
        )
