"""The decoder of a model with length control."""

# No "from __future__ import annotations": TorchScript reads these annotations.

from typing import Any

from fairseq.models.transformer import TransformerDecoderBase
from torch import Tensor

from .options import LengthControlConfig
from .positions import LengthPositions


class LengthDecoder(TransformerDecoderBase):
    """fairseq's decoder with the encodings of :class:`LengthPositions`.

    The lengths come with the encoder's output.
    """

    def __init__(self, cfg: Any, *arguments: Any, **options: Any) -> None:
        """Build fairseq's decoder and replace its positional encoding."""
        super().__init__(cfg, *arguments, **options)
        chosen = LengthControlConfig.from_namespace(cfg)
        self.embed_positions = LengthPositions(
            self.embed_dim,
            self.padding_idx,
            chosen.length_lrpe,
            chosen.length_ldpe,
            chosen.length_ordinary,
        )

    def extract_features(
        self,
        prev_output_tokens: Tensor,
        encoder_out: dict[str, list[Tensor]] | None,
        incremental_state: dict[str, dict[str, Tensor | None]] | None = None,
        full_context_alignment: bool = False,
        alignment_layer: int | None = None,
        alignment_heads: int | None = None,
    ) -> tuple[Tensor, dict[str, list[Tensor | None]]]:
        """Compute the decoder's states; see fairseq's decoder."""
        assert encoder_out is not None
        self.embed_positions.set_target_lengths(encoder_out["target_lengths"][0])
        return self.extract_features_scriptable(  # type: ignore[no-any-return]
            prev_output_tokens,
            encoder_out,
            incremental_state,
            full_context_alignment,
            alignment_layer,
            alignment_heads,
        )
