"""Deep hash embeddings: a network reads many hash values of a word."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from torch import Tensor, nn

from .base import CompactEmbedding, TableSize
from .hash_functions import MANY, HashFunctions
from .initial_scale import take_scale_of_lookup
from .options import SEEDS, MethodOptions, in_small_presets, option
from .registry import register_embedding

DEGREE = 1
"""Of the hash functions, as published."""

_LINEAR = r"hidden\.\d+\.0\.weight"


@dataclass
class DeepHashConfig(MethodOptions):
    """Options of deep hash embeddings, with the symbols of Kang et al. (2021)."""

    sizes = in_small_presets(deep_hash_inter_dim="auto:0.5")

    deep_hash_num_hashes: int = option(
        1024,
        "hash functions k, the numbers that the network reads",
        at_least=1,
        below=MANY,
    )
    deep_hash_buckets: int = option(
        1_000_000,
        "values m of a hash function, evenly spread over [-1, 1]",
        at_least=2,
        below=2**31,
    )
    deep_hash_inter_dim: int = option(
        1024,
        "size of each hidden layer; auto:0.5 for the largest with at most half of the "
        "values of look-up",
        at_least=2,  # normalisation makes a single value 0
    )
    deep_hash_num_layers: int = option(
        2, "hidden layers, before the one that makes D values", at_least=1
    )
    deep_hash_normalisation: str = option(
        "layer",
        "in each hidden layer: 'layer' normalisation, or 'none'. The paper's batch "
        "normalisation would make a word's vector depend on the words beside it",
        choices=("layer", "none"),
    )
    deep_hash_activation: str = option(
        "mish", "of the hidden layers: 'mish' or 'relu'", choices=("mish", "relu")
    )
    deep_hash_seed: int = option(
        1, "seed from which the hash functions follow", at_least=0, below=SEEDS
    )

    def free_size(self) -> str:
        """Name the size of the hidden layers."""
        return "deep_hash_inter_dim"

    @staticmethod
    def sizes_in(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
        """Read ``k`` and the number and size of the layers; see the base class."""
        first = shapes.get("hidden.0.0.weight")
        if first is None:
            return {}
        linear = [name for name in shapes if re.fullmatch(_LINEAR, name)]
        return {
            "deep_hash_num_hashes": first[1],
            "deep_hash_inter_dim": first[0],
            "deep_hash_num_layers": len(linear),
        }


@register_embedding("deep_hash", DeepHashConfig)
class DeepHashEmbedding(CompactEmbedding):
    """Deep hash embeddings: a network makes a word's vector of ``k`` hash values.

    ``e_w = W_n act(norm(W_(n-1) ... act(norm(W_1 h(w)))))``, ``h(w)`` in ``[-1, 1]^k``.
    Kang et al. (2021), "Learning to Embed Categorical Features without Embedding Tables
    for Recommendation". No trained value belongs to a single word, as in ALONE.

    Reference:
        https://arxiv.org/abs/2010.10784
    """

    def lay_out(self, config: DeepHashConfig, size: TableSize) -> None:
        """Make the hash functions and the network; see the base class."""
        count, inner = config.deep_hash_num_hashes, config.deep_hash_inter_dim
        self.hashes = HashFunctions(config.deep_hash_seed, count, DEGREE)
        self.num_buckets = config.deep_hash_buckets
        sizes = [count, *[inner] * config.deep_hash_num_layers]
        self.hidden = nn.ModuleList(_hidden(config, a, b) for a, b in pairwise(sizes))
        self.last = nn.Linear(inner, size.embedding_dim)
        # A hash value takes 64 bits, and is there twice; a hidden one is there thrice.
        self.widest = 4 * count + 3 * sum(sizes[1:]) + size.embedding_dim

    def reset_parameters(self) -> None:
        """Draw Xavier-uniform layers, and scale the last for vectors like look-up's."""
        for module in self.modules():
            if isinstance(module, nn.LayerNorm):
                module.reset_parameters()
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                nn.init.zeros_(module.bias)
        take_scale_of_lookup(self, self.last.weight)

    def description(self) -> dict[str, Any]:
        """Name all that the hash values follow from, and what the shapes do not say."""
        return {
            **super().description(),
            "seed": self.config.deep_hash_seed,
            "buckets": self.num_buckets,
            "normalisation": self.config.deep_hash_normalisation,
            "activation": self.config.deep_hash_activation,
            "checksum": self.hashes.checksum,
        }

    def network_matrices(self) -> dict[str, nn.Parameter]:
        """Name the layers' weights; see the base class."""
        return {name: p for name, p in self.named_parameters() if p.dim() == 2}

    def hash_values(self, words: Tensor) -> Tensor:
        """Give the numbers that the network reads.

        Args:
            words: Word indices, int64, ``(N)``.

        Returns:
            Numbers in ``[-1, 1]``, float32, ``(N, k)``.
        """
        buckets = self.hashes(words) % self.num_buckets
        values: Tensor = buckets.float() * (2.0 / (self.num_buckets - 1)) - 1.0
        return values

    def rows(self, tokens: Tensor) -> Tensor:
        """Send hash values through the network; see the base class."""
        values = self.hash_values(tokens.flatten()).to(self.last.weight.dtype)
        for layer in self.hidden:
            values = layer(values)
        vectors: Tensor = self.last(values)
        return vectors.view(tokens.shape + (self.embedding_dim,))  # noqa: RUF005 (TorchScript)


def _hidden(config: DeepHashConfig, size_in: int, size_out: int) -> nn.Sequential:
    layers: list[nn.Module] = [nn.Linear(size_in, size_out)]
    if config.deep_hash_normalisation == "layer":
        layers.append(nn.LayerNorm(size_out))
    mish = config.deep_hash_activation == "mish"
    return nn.Sequential(*layers, nn.Mish() if mish else nn.ReLU())
