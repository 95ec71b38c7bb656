"""Output layers: decoder states in, logits or the loss out."""

from .tied_projection import TiedProjection

__all__ = ["TiedProjection"]
