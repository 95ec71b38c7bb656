"""Output layers: decoder states in, logits out."""

from .tied_projection import TiedProjection

__all__ = ["TiedProjection"]
