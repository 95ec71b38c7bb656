"""The language model with a compact embedding: the coupling to fairseq's model."""

from argparse import Namespace
from collections.abc import Iterator
from typing import Any, ClassVar

from fairseq.data import Dictionary
from fairseq.dataclass.utils import gen_parser_from_dataclass
from fairseq.models import register_model
from fairseq.models.transformer import TransformerDecoder
from fairseq.models.transformer_lm import (
    TransformerLanguageModel,
    TransformerLanguageModelConfig,
)
from fairseq.tasks import FairseqTask
from torch import Tensor, nn

from . import model_parts
from .compact_model import CompactModel
from .embeddings import CompactEmbedding
from .errors import AloneError
from .refused_options import refuse_unsupported


@register_model("transformer_lm_compact")
class CompactLanguageModel(CompactModel, TransformerLanguageModel):
    """fairseq's decoder-only Transformer with the embedding of ``--embedding-method``.

    ``--share-decoder-input-output-embed`` ties the output layer; ``--output-layer``
    chooses another.
    """

    # TorchScript knows no sets.
    __jit_unused_properties__: ClassVar[list[str]] = ["supported_targets"]

    @classmethod
    def add_args(cls, parser: Any) -> None:
        """Add fairseq's flags and ours."""
        # Its registration has no dataclass, whose model would see no flags but its own.
        config = TransformerLanguageModelConfig()
        gen_parser_from_dataclass(parser, config, delete_default=True)
        model_parts.add_compact_flags(parser)

    @classmethod
    def build_model(cls, args: Namespace, task: FairseqTask) -> "CompactLanguageModel":
        """Build the model, after refusing options that cannot work.

        Args:
            args: All options of the run or of the checkpoint.
            task: Task with the dictionary.

        Raises:
            AloneError: If options contradict one another.
        """
        refuse_unsupported(args, task)
        dictionary: Dictionary = task.source_dictionary
        if len(task.target_dictionary) != len(dictionary):
            raise AloneError(
                "--output-dictionary-size makes another dictionary for the output,"
                " which no output layer of this plugin has: remove it"
            )
        if kept := getattr(args, "decoder_layers_to_keep", None):
            args.decoder_layers = len(kept.split(","))
        table = model_parts.table_size(dictionary, args.decoder_input_dim)
        model_parts.resolve_sizes(args, [table])
        if getattr(args, "max_target_positions", None) is None:
            args.max_target_positions = args.tokens_per_sample
        embedding = model_parts.build_embedding(
            args, dictionary, args.decoder_input_dim
        )
        decoder = TransformerDecoder(
            *(args, dictionary, embedding),
            no_encoder_attn=True,
            output_projection=nn.Identity(),
        )
        decoder.output_projection = model_parts.build_output(
            args, dictionary, embedding, decoder.output_embed_dim
        )
        model = cls(decoder)
        model_parts.prepare_training(model, args)
        return model

    def sides(self) -> dict[str, tuple[CompactEmbedding, Dictionary]]:
        """Name the only embedding; see the base class."""
        return {"target": (self.decoder.embed_tokens, self.decoder.dictionary)}

    # What fairseq's decoder takes, by name: TorchScript knows no **kwargs.
    def forward(
        self,
        src_tokens: Tensor,
        src_lengths: Tensor | None = None,
        incremental_state: dict[str, dict[str, Tensor | None]] | None = None,
        features_only: bool = False,
        full_context_alignment: bool = False,
        return_all_hiddens: bool = False,
    ) -> tuple[Tensor, dict[str, list[Tensor | None]] | None]:
        """Score the next tokens; see fairseq's decoder.

        Args:
            src_tokens: Tokens after an end of sentence, ``(B, T)``.
            src_lengths: Not used.
            incremental_state: What is kept between the steps of a generation.
            features_only: Whether to leave the output layer out.
            full_context_alignment: Whether attention goes to later tokens too.
            return_all_hiddens: Whether to return all layers' states.

        Returns:
            Logits ``(B, T, V)``, or states, and attention and states.
        """
        return self.decoder(  # type: ignore[no-any-return]
            src_tokens,
            incremental_state=incremental_state,
            features_only=features_only,
            full_context_alignment=full_context_alignment,
            src_lengths=src_lengths,
            return_all_hiddens=return_all_hiddens,
        )

    def hidden_matrices(self) -> Iterator[nn.Parameter]:
        """Go through the parameters of the layers; see the base class."""
        yield from self.decoder.layers.parameters()
