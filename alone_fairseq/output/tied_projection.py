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
            hidden: Decoder states, ``(..., D)``.

        Returns:
            Logits, ``(..., V)``.
        """
        return self.embedding.attend(hidden)
