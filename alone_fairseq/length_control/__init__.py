"""Length control: a decoder that is told how long its output is to be."""

from .options import LengthControlConfig, is_controlled
from .task import TranslationWithLengthTask

__all__ = ["LengthControlConfig", "TranslationWithLengthTask", "is_controlled"]
