"""Output layers: decoder states in, logits or the loss out.

A new layer is one file here, and one name below.
"""

from .base import OutputLayer
from .dense_projection import DenseProjection
from .joint_projection import BilinearProjection, JointConfig, JointProjection
from .registry import (
    OUTPUT_LAYERS,
    build_output_layer,
    chosen_output_layer,
    layer_configs,
    refuse_other_options,
    register_output_layer,
)
from .softmax_bias import SoftmaxBias, make_bias
from .tied_projection import TiedProjection

__all__ = [
    "OUTPUT_LAYERS",
    "BilinearProjection",
    "DenseProjection",
    "JointConfig",
    "JointProjection",
    "OutputLayer",
    "SoftmaxBias",
    "TiedProjection",
    "build_output_layer",
    "chosen_output_layer",
    "layer_configs",
    "make_bias",
    "refuse_other_options",
    "register_output_layer",
]
