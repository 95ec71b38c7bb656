"""Output layers: decoder states in, logits or the loss out.

A new layer is one file here, and one name below.
"""

from .base import OutputLayer
from .dense_projection import DenseProjection
from .registry import (
    OUTPUT_LAYERS,
    build_output_layer,
    chosen_output_layer,
    register_output_layer,
)
from .softmax_bias import SoftmaxBias, make_bias
from .tied_projection import TiedProjection

__all__ = [
    "OUTPUT_LAYERS",
    "DenseProjection",
    "OutputLayer",
    "SoftmaxBias",
    "TiedProjection",
    "build_output_layer",
    "chosen_output_layer",
    "make_bias",
    "register_output_layer",
]
