"""The options of ALONE, and their values in presets."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import AloneError
from .options import (
    FAST_PRESET,
    LARGE_PRESETS,
    SEEDS,
    SMALL_PRESETS,
    MethodOptions,
    flag_of,
    is_auto,
    option,
)

# D_o is the paper's 512 though D is smaller: with filters of 128 entries, which
# thousands of words crowd, it learns far more slowly.
_SMALL: dict[str, Any] = {"alone_base_dim": 512, "alone_inter_dim": "auto:0.5"}

_LEARNS: dict[str, Any] = {
    "softmax_bias": "unigram",
    "alone_centre": True,
    "alone_initial_scale": "lookup_layer",
}

PUBLISHED_SIZES: Mapping[str, Mapping[str, Any]] = {
    **dict.fromkeys(SMALL_PRESETS, _SMALL),
    # The better of the two inner sizes of the paper's Table 3.
    "gigaword": {"alone_inter_dim": 1024},
}
"""Options in presets ``..._published``."""

# Measured with small vocabularies only: elsewhere the paper's number of values, which
# does not grow with V, and its dropout stay.
_LEARNS_SMALL: dict[str, Any] = {
    **_LEARNS,
    "alone_own_dim": 32,
    "alone_relu_dropout": 0.0,
}

SIZES: Mapping[str, Mapping[str, Any]] = {
    **dict.fromkeys((*SMALL_PRESETS, FAST_PRESET), _SMALL | _LEARNS_SMALL),
    **{size: {**PUBLISHED_SIZES.get(size, {}), **_LEARNS} for size in LARGE_PRESETS},
}
"""Options in presets: the paper's sizes, and what makes ALONE learn."""

_OF_FILTERS = {"alone_zero_prob": "binary", "alone_filter_std": "real"}


@dataclass
class AloneConfig(MethodOptions):
    """Options of ALONE, with the symbols of Takase and Kobayashi (2020)."""

    sizes = SIZES
    published_sizes = PUBLISHED_SIZES

    alone_filter: str = option(
        "real",
        "filter vectors f: 'binary' (codebook rows combined by OR) or 'real' (Gaussian "
        "rows, summed)",
        choices=("binary", "real"),
    )
    alone_base_dim: int = option(
        0,
        "size of the one trained vector o, D_o; 0 means the embedding size D",
        at_least=0,
    )
    alone_inter_dim: int = option(
        4096,
        "inner size of the feed-forward network, D_inter; auto:0.5 for the largest "
        "with at most half of the values of look-up",
        at_least=1,
    )
    alone_num_layers: int = option(
        2,
        "linear layers of the feed-forward network; 2 is the paper's W2 relu(W1 x), "
        "1 a single D x D_o map",
        at_least=1,
    )
    alone_num_codebooks: int = option(
        8, "number of codebooks (source matrices), M", at_least=1
    )
    alone_codebook_size: int = option(64, "rows of a codebook, c", at_least=1)
    alone_zero_prob: float = option(
        0.5,
        "probability p_o of a 0 in a binary filter, between 0 and 1",
        above=0,
        below=1,
    )
    alone_filter_std: float = option(
        1.0,
        "standard deviation of the entries of a real filter f; codebook entries have "
        "std / sqrt(M)",
        above=0,
        at_most=1_000_000,
    )
    alone_relu_dropout: float = option(
        0.1,
        "dropout after each ReLU, on input look-ups only, never on the softmax side",
        at_least=0,
        below=1,
    )
    alone_relu_dropout_updates: int = option(
        0,
        "use --alone-relu-dropout while fewer updates are done; 0 means always",
        at_least=0,
    )
    alone_freeze_base: bool = option(
        False, "leave o at its random initial value (the paper's 'Fix o')"
    )
    alone_keep_inner: bool = option(
        False,
        "keep the table's filters and inner vectors for the backward pass, "
        "V x (D_o + D_inter) values of memory, instead of computing them twice; done "
        "without this flag where they take no more than 128 MiB",
    )
    alone_centre: bool = option(
        False,
        "take the mean over random filters off the values after the ReLU, which all "
        "words share and which hides how they differ; needs two layers",
    )
    alone_own_dim: int = option(
        0,
        "trained values of each word's own, mapped to D and added; 0 for none, as in "
        "the paper. They make V times as many trained values, or --alone-own-words "
        "times",
        at_least=0,
    )
    alone_own_words: int = option(
        0,
        "give --alone-own-dim to the first N rows of the table only: the symbols and "
        "the most frequent words of a dictionary; 0 for all. Trained values then do "
        "not grow with V",
        at_least=0,
    )
    alone_initial_scale: str = option(
        "published",
        "initial size of the vectors: 'published', with binary filters several times "
        "that of a look-up table's; or the same as its, D^-0.5, by a factor on o "
        "('lookup') or on the last layer ('lookup_layer')",
        choices=("published", "lookup", "lookup_layer"),
    )
    alone_seed: int = option(
        1, "seed from which all filters f follow", at_least=0, below=SEEDS
    )

    def free_size(self) -> str:
        """Name the inner size, or the size of o where there is no inner one."""
        return "alone_base_dim" if self.alone_num_layers == 1 else "alone_inter_dim"

    @staticmethod
    def sizes_in(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
        """Read ``D_o``, ``D_inter``, the layers and ``r``; see the base class."""
        layers = [shapes[name] for name in shapes if name.startswith("layers.")]
        if not layers:
            return {}
        found = {"alone_base_dim": layers[0][1], "alone_num_layers": len(layers)}
        if len(layers) > 1:
            found["alone_inter_dim"] = layers[0][0]
        own = shapes.get("own.values")
        return {**found, "alone_own_dim": own[1] if own else 0}

    def __post_init__(self) -> None:
        """Check all values, and that they go together."""
        if self.alone_num_layers == 1 and is_auto(self.alone_inter_dim):
            # A preset's, and of no use to one layer.
            self.alone_inter_dim = type(self).alone_inter_dim
        super().__post_init__()
        self._refuse_options_of_other_filters()
        if self.alone_centre and self.alone_num_layers != 2:
            raise AloneError(
                "--alone-centre, which presets but for ..._published have, knows the"
                " mean after the first of two layers: set --alone-num-layers to 2, not"
                f" {self.alone_num_layers}, or name an --arch ..._published, such as"
                " transformer_alone_multi30k_published"
            )
        if self.alone_own_words and not self.alone_own_dim:
            raise AloneError(
                "--alone-own-words says whose values --alone-own-dim are, and there are"
                " none: add --alone-own-dim"
            )

    def _refuse_options_of_other_filters(self) -> None:
        for name, filters in _OF_FILTERS.items():
            given = getattr(self, name) != getattr(type(self), name)
            if given and self.alone_filter != filters:
                raise AloneError(
                    f"{flag_of(name)} is of {filters} filters, and these are"
                    f" {self.alone_filter}: add --alone-filter {filters}, or remove it"
                )
