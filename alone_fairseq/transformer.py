"""The Transformer with a compact embedding: the coupling to fairseq's model."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from fairseq.data import Dictionary
from fairseq.dataclass.utils import gen_parser_from_dataclass
from fairseq.models import register_model
from fairseq.models.transformer import TransformerDecoderBase, TransformerModel
from fairseq.tasks import FairseqTask
from torch import Tensor, nn

from . import model_parts
from .compact_model import CompactModel
from .embeddings import CompactEmbedding
from .length_control import options as length_options
from .length_control.decoder import LengthDecoder
from .length_control.encoder import LengthEncoder
from .refused_options import refuse_unsupported


@register_model("transformer_compact")
class CompactTransformerModel(CompactModel, TransformerModel):
    """fairseq's Transformer with the embedding chosen by ``--embedding-method``.

    The embedding also scores the output where fairseq's
    ``--share-decoder-input-output-embed`` or ``--share-all-embeddings`` says so;
    otherwise the output layer is a dense one like fairseq's. ``--output-layer`` chooses
    another.
    """

    decoder_class = TransformerDecoderBase

    @classmethod
    def add_args(cls, parser: Any) -> None:
        """Add fairseq's Transformer flags, ours and those of length control."""
        super().add_args(parser)
        model_parts.add_compact_flags(parser)
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
        model_parts.resolve_sizes(args, model_parts.tables_of_sides(args, task))
        kind = LengthControlledModel if length_options.is_controlled(args) else cls
        model: CompactTransformerModel = super(
            CompactTransformerModel, kind
        ).build_model(args, task)
        model_parts.prepare_training(model, args)
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
        return model_parts.build_embedding(cfg, dictionary, embed_dim)

    @classmethod
    def build_decoder(
        cls, cfg: Any, tgt_dict: Dictionary, embed_tokens: CompactEmbedding
    ) -> TransformerDecoderBase:
        """Build fairseq's decoder, with the output layer that is asked for."""
        decoder = cls.decoder_class(
            cfg,
            tgt_dict,
            embed_tokens,
            no_encoder_attn=cfg.no_cross_attention,
            output_projection=nn.Identity(),
        )
        # After the decoder, as fairseq does, so that a seed gives fairseq's model.
        decoder.output_projection = model_parts.build_output(
            cfg, tgt_dict, embed_tokens, decoder.output_embed_dim
        )
        return decoder


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
