"""A softmax matrix of its own, as fairseq has it where nothing is tied."""

from typing import Any

from torch import Tensor, nn

from ..embeddings import CompactEmbedding
from .base import OutputLayer
from .registry import register_output_layer


@register_output_layer("dense")
class DenseProjection(OutputLayer):
    """Logits from a trained matrix, ``V x D`` values.

    Args:
        embedding: The embedding of the decoder's input, for the vocabulary's size.
        dim: Size ``D`` of the decoder's states.
        config: Not used.
    """

    needs_table = False

    def __init__(
        self, embedding: CompactEmbedding, dim: int, config: Any = None
    ) -> None:
        """Draw normal values of deviation ``D^-0.5``, as fairseq does."""
        super().__init__(embedding, dim, config)
        # Through the layer that fairseq makes, which draws random numbers too: a seed
        # then gives fairseq's model.
        fairseqs = nn.Linear(dim, embedding.num_embeddings, bias=False)
        nn.init.normal_(fairseqs.weight, mean=0.0, std=dim**-0.5)
        self.weight = fairseqs.weight

    def softmax_factors(self, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """Give ``hidden`` and the matrix; see the base class."""
        return hidden, self.weight

    def matrix(self) -> Tensor:
        """Give the matrix; see the base class."""
        return self.weight
