"""The encoder of a model with length control: it passes the length to the decoder."""

# No "from __future__ import annotations": TorchScript reads these annotations.

import torch
from fairseq.models.transformer import TransformerEncoderBase
from torch import Tensor

TARGET_LENGTHS = "target_lengths"
"""Key of the lengths in a batch's ``net_input`` and in what the encoder returns."""


class LengthEncoder(TransformerEncoderBase):
    """fairseq's encoder, whose output carries the lengths of the target.

    There they are reordered with everything else by fairseq's own beam search, which
    knows nothing of them.
    """

    # TorchScript has no super(): fairseq's method gets a second name.
    reorder_all_but_lengths = TransformerEncoderBase.reorder_encoder_out

    def forward(
        self,
        src_tokens: Tensor,
        src_lengths: Tensor | None = None,
        return_all_hiddens: bool = False,
        token_embeddings: Tensor | None = None,
        target_lengths: Tensor | None = None,
    ) -> dict[str, list[Tensor]]:
        """Encode the source.

        Args:
            src_tokens: Source tokens, ``(B, S)``.
            src_lengths: Passed on.
            return_all_hiddens: Passed on.
            token_embeddings: Passed on.
            target_lengths: Target tokens with the end of sentence, ``(B,)``.

        Returns:
            What fairseq's encoder returns, and the lengths, ``(B, 1)``.

        Raises:
            ValueError: If there are no lengths.
        """
        if target_lengths is None:
            raise ValueError(
                "a model with length control needs net_input['target_lengths']"
            )
        encoder_out = self.forward_scriptable(
            src_tokens, src_lengths, return_all_hiddens, token_embeddings
        )
        encoder_out["target_lengths"] = [target_lengths.view(-1, 1)]
        return encoder_out  # type: ignore[no-any-return]

    def forward_torchscript(
        self, net_input: dict[str, Tensor]
    ) -> dict[str, list[Tensor]]:
        """Encode a batch, as fairseq's generator asks for it."""
        return self.forward(
            net_input["src_tokens"],
            net_input["src_lengths"],
            target_lengths=net_input["target_lengths"],
        )

    @torch.jit.export
    def reorder_encoder_out(
        self, encoder_out: dict[str, list[Tensor]], new_order: Tensor
    ) -> dict[str, list[Tensor]]:
        """Reorder the encoder's output, lengths included; see fairseq's encoder."""
        lengths = encoder_out["target_lengths"][0]
        reordered = self.reorder_all_but_lengths(encoder_out, new_order)
        reordered["target_lengths"] = [lengths.index_select(0, new_order)]
        return reordered  # type: ignore[no-any-return]
