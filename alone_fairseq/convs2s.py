"""ConvS2S with a compact embedding: the coupling to fairseq's model."""

from argparse import Namespace
from collections.abc import Iterator
from typing import Any

from fairseq.data import Dictionary
from fairseq.models import register_model
from fairseq.models.fconv import FConvDecoder, FConvEncoder, FConvModel
from fairseq.tasks import FairseqTask
from torch import Tensor, nn

from . import model_parts
from .compact_model import CompactModel
from .errors import AloneError
from .layer_lists import read_attention, read_layers
from .refused_options import refuse_unsupported


@register_model("fconv_compact")
class CompactFConvModel(CompactModel, FConvModel):
    """fairseq's ConvS2S with the embedding of ``--embedding-method``.

    ``--share-input-output-embed`` or ``--share-all-embeddings`` tie the output layer;
    ``--output-layer`` chooses another.
    """

    @classmethod
    def add_args(cls, parser: Any) -> None:
        """Add fairseq's flags and ours."""
        super().add_args(parser)
        parser.add_argument(
            "--share-all-embeddings",
            action="store_true",
            help="share encoder, decoder and output embeddings",
        )
        model_parts.add_compact_flags(parser)

    @classmethod
    def build_model(cls, args: Namespace, task: FairseqTask) -> "CompactFConvModel":
        """Build the model, after refusing options that cannot work.

        Args:
            args: All options of the run or of the checkpoint.
            task: Task with the dictionaries.

        Raises:
            AloneError: If options contradict one another.
        """
        refuse_unsupported(args, task)
        layers = read_layers(args.decoder_layers, "--decoder-layers")
        attention = read_attention(args.decoder_attention, len(layers))
        if not any(attention):
            raise AloneError(
                f"--decoder-attention {args.decoder_attention}: one layer of ConvS2S"
                " must attend, or the decoder sees no source"
            )
        if args.encoder_embed_dim != args.decoder_embed_dim:
            raise AloneError(
                f"--encoder-embed-dim {args.encoder_embed_dim} and --decoder-embed-dim"
                f" {args.decoder_embed_dim}: the decoder of ConvS2S compares its states"
                " with the encoder's; make them equal"
            )
        model_parts.resolve_sizes(args, model_parts.tables_of_sides(args, task))
        source, target = model_parts.build_sides(args, task)
        encoder = FConvEncoder(
            _small(task.source_dictionary),
            embed_dim=args.encoder_embed_dim,
            convolutions=read_layers(args.encoder_layers, "--encoder-layers"),
            dropout=args.dropout,
            max_positions=args.max_source_positions,
        )
        decoder = CompactFConvDecoder(
            _small(task.target_dictionary),
            embed_dim=args.decoder_embed_dim,
            convolutions=layers,
            out_embed_dim=args.decoder_out_embed_dim,
            attention=attention,
            dropout=args.dropout,
            max_positions=args.max_target_positions,
        )
        encoder.dictionary, encoder.embed_tokens = task.source_dictionary, source
        decoder.dictionary, decoder.embed_tokens = task.target_dictionary, target
        decoder.output_projection = model_parts.build_output(
            args, task.target_dictionary, target, args.decoder_out_embed_dim
        )
        model = cls(encoder, decoder)
        model_parts.prepare_training(model, args)
        return model

    def __prepare_scriptable__(self) -> Any:
        """Refuse TorchScript, which calls this first.

        Raises:
            AloneError: In any case.
        """
        raise AloneError(
            "ConvS2S cannot be written as TorchScript, which knows no weight"
            " normalisation of fairseq's kind: use a Transformer or an LSTM"
        )

    def hidden_matrices(self) -> Iterator[nn.Parameter]:
        """Give none: direction and length of these weights are trained apart."""
        yield from ()

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
            src_lengths: Source lengths, ``(B,)``.
            prev_output_tokens: Target tokens after an end of sentence, ``(B, T)``.
            features_only: Whether to leave the output layer out.

        Returns:
            Logits ``(B, T, V)``, or states, and attention.
        """
        encoder_out = self.encoder(src_tokens, src_lengths=src_lengths)
        return self.decoder(  # type: ignore[no-any-return]
            prev_output_tokens, encoder_out=encoder_out, features_only=features_only
        )


class CompactFConvDecoder(FConvDecoder):
    """fairseq's decoder with an output layer of ours."""

    def __init__(self, *args: Any, **options: Any) -> None:
        """Build fairseq's decoder without its output layer."""
        super().__init__(*args, **options)
        self.fc3 = nn.Identity()

    def forward(
        self,
        prev_output_tokens: Tensor,
        encoder_out: Any = None,
        incremental_state: Any = None,
        features_only: bool = False,
        **unused: Any,
    ) -> tuple[Tensor, Tensor | None]:
        """Score target tokens, or give states only; see fairseq's decoder."""
        states, attention = super().forward(
            prev_output_tokens, encoder_out, incremental_state, **unused
        )
        return states if features_only else self.output_projection(states), attention


def _small(dictionary: Dictionary) -> Dictionary:
    """Give a dictionary without words, so that fairseq makes no tables of its size."""
    small = Dictionary()
    assert small.pad() == dictionary.pad()
    return small
