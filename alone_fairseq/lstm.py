"""The LSTM with a compact embedding: the coupling to fairseq's encoder-decoder."""

from argparse import Namespace
from typing import Any

from fairseq.models import register_model
from fairseq.models.lstm import (
    DEFAULT_MAX_SOURCE_POSITIONS,
    DEFAULT_MAX_TARGET_POSITIONS,
    LSTMDecoder,
    LSTMEncoder,
    LSTMModel,
)
from fairseq.tasks import FairseqTask
from torch import Tensor, nn

from . import model_parts
from .compact_model import CompactModel
from .errors import AloneError
from .layer_lists import read_attention
from .refused_options import refuse_unsupported


@register_model("lstm_compact")
class CompactLSTMModel(CompactModel, LSTMModel):
    """fairseq's LSTM encoder-decoder with the embedding of ``--embedding-method``.

    Luong's attention and input feeding, as fairseq has them; embeddings are shared, and
    the output layer chosen, as in :class:`~.transformer.CompactTransformerModel`.
    """

    @classmethod
    def add_args(cls, parser: Any) -> None:
        """Add fairseq's flags and ours."""
        super().add_args(parser)
        model_parts.add_compact_flags(parser)

    @classmethod
    def build_model(cls, args: Namespace, task: FairseqTask) -> "CompactLSTMModel":
        """Build the model, after refusing options that cannot work.

        Args:
            args: All options of the run or of the checkpoint.
            task: Task with the dictionaries.

        Raises:
            AloneError: If options contradict one another.
        """
        refuse_unsupported(args, task)
        if args.encoder_layers < 1:
            raise AloneError(
                f"--encoder-layers {args.encoder_layers}: an LSTM has one layer or more"
            )
        if args.encoder_layers != args.decoder_layers:
            raise AloneError(
                f"--encoder-layers {args.encoder_layers} and --decoder-layers"
                f" {args.decoder_layers}: the decoder of an LSTM starts from the"
                " encoder's layers, one by one; make them equal"
            )
        model_parts.resolve_sizes(args, model_parts.tables_of_sides(args, task))
        source, target = model_parts.build_sides(args, task)
        encoder = _encoder(args, task, source)
        decoder = _decoder(args, task, target, encoder.output_units)
        decoder.output_projection = model_parts.build_output(
            args, task.target_dictionary, target, args.decoder_out_embed_dim
        )
        model = cls(encoder, decoder)
        model_parts.prepare_training(model, args)
        return model

    def hidden_matrices(self) -> Any:
        """Go through the parameters of the layers; see the base class."""
        yield from self.encoder.lstm.parameters()
        yield from self.decoder.layers.parameters()

    # Without the state of a step-by-step translation, which asks the decoder.
    def forward(
        self,
        src_tokens: Tensor,
        src_lengths: Tensor,
        prev_output_tokens: Tensor,
        features_only: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Score target tokens; see fairseq's model.

        Args:
            src_tokens: Source tokens, ``(B, S)``.
            src_lengths: Source lengths in descending order, ``(B,)``.
            prev_output_tokens: Target tokens after an end of sentence, ``(B, T)``.
            features_only: Whether to leave the output layer out.

        Returns:
            Logits ``(B, T, V)``, or states, and attention.
        """
        encoder_out = self.encoder(src_tokens, src_lengths=src_lengths)
        states, attention = self.decoder.extract_features(
            prev_output_tokens, encoder_out
        )
        if not features_only:
            states = self.decoder.output_layer(states)
        return states, attention


class CompactLSTMDecoder(LSTMDecoder):
    """fairseq's decoder with an output layer of ours."""

    def output_layer(self, x: Tensor) -> Tensor:
        """Score the vocabulary for states, ``(B, T, D)``."""
        logits: Tensor = self.output_projection(x)
        return logits


def _encoder(args: Namespace, task: Any, embedding: nn.Module) -> LSTMEncoder:
    return LSTMEncoder(
        dictionary=task.source_dictionary,
        embed_dim=args.encoder_embed_dim,
        hidden_size=args.encoder_hidden_size,
        num_layers=args.encoder_layers,
        dropout_in=args.encoder_dropout_in,
        dropout_out=args.encoder_dropout_out,
        bidirectional=args.encoder_bidirectional,
        pretrained_embed=embedding,
        max_source_positions=getattr(
            args, "max_source_positions", DEFAULT_MAX_SOURCE_POSITIONS
        ),
    )


def _decoder(
    args: Namespace, task: Any, embedding: nn.Module, encoder_units: int
) -> CompactLSTMDecoder:
    return CompactLSTMDecoder(
        dictionary=task.target_dictionary,
        embed_dim=args.decoder_embed_dim,
        hidden_size=args.decoder_hidden_size,
        out_embed_dim=args.decoder_out_embed_dim,
        num_layers=args.decoder_layers,
        dropout_in=args.decoder_dropout_in,
        dropout_out=args.decoder_dropout_out,
        attention=all(read_attention(args.decoder_attention, 1)),
        encoder_output_units=encoder_units,
        pretrained_embed=embedding,
        share_input_output_embed=True,  # so that it makes no output layer
        max_target_positions=getattr(
            args, "max_target_positions", DEFAULT_MAX_TARGET_POSITIONS
        ),
    )
