"""Output layers: decoder states in, logits or the loss out."""

from .chunked_criterion import ChunkedCrossEntropyCriterion
from .tied_projection import TiedProjection

__all__ = ["ChunkedCrossEntropyCriterion", "TiedProjection"]
