"""The softmax matrix tied to an embedding module."""

from torch import Tensor, nn

from ..embeddings import CompactEmbedding


class TiedProjection(nn.Module):
    """Logits from the embedding that also reads the words (Press and Wolf, 2017).

    It ties the module rather than a tensor, since compact embeddings have no
    ``(V, D)`` tensor to share.

    Args:
        embedding: The embedding of the decoder's input.
    """

    def __init__(self, embedding: CompactEmbedding) -> None:
        """Refer to the embedding, and tell it; nothing is copied."""
        super().__init__()
        self.embedding = embedding
        embedding.serves_softmax = True

    def forward(self, hidden: Tensor) -> Tensor:
        """Score the vocabulary.

        Args:
            hidden: Decoder states, ``(..., D)`` of two or more dimensions.

        Returns:
            Logits, ``(..., V)``.
        """
        # As one product of matrices: given three dimensions and a table without
        # gradients, torch multiplies sentence by sentence, which in beam search on a
        # CPU takes ten times as long.
        scores = self.embedding.attend(hidden.flatten(0, -2))
        logits: Tensor = scores.unflatten(0, hidden.shape[:-1])
        return logits
