"""DeFINE: narrow vectors, expanded by layers whose matrices are split into groups."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..errors import AloneError
from .base import CompactEmbedding, TableSize
from .initial_scale import take_scale_of_lookup
from .options import MethodOptions, in_small_presets, option
from .registry import register_embedding
from .tables.slices import slices_of, table_in_slices

MOST_GROUPS = 64
"""Of a layer, where nobody says how many; its groups are computed one by one."""

LARGEST_STEP = 1024
"""What sizes of layers may be rounded up to a multiple of: as many as there can be
groups, so that every power of two will do."""

LAST_GAIN = 1.709
"""Factor with which swish makes normal numbers of deviation 1 ones of deviation 1."""


@dataclass
class DefineConfig(MethodOptions):
    """Options of DeFINE, with the symbols of Mehta et al. (2020)."""

    sizes = in_small_presets(define_input_dim="auto:0.5")

    define_input_dim: int = option(
        128,
        "size n of a word's own vector; auto:0.5 for the largest with at most half of "
        "the values of look-up",
        at_least=1,
    )
    define_form: str = option(
        "paper",
        "'paper': every layer reads a word's own vector beside the one before, in "
        "groups that halve from layer to layer, and a linear map makes D values; "
        "'program': as the published program has it, with a layer of size D / 2 before "
        "the groups, whose values all others read, and one with an activation at the "
        "end",
        choices=("paper", "program"),
    )
    define_num_layers: int = option(4, "layers N with groups", at_least=1)
    define_max_groups: int = option(
        0,
        "most groups g_max of a layer; 0 for the published program's choice, the power "
        f"of two from D / 32, but no more than {MOST_GROUPS}",
        at_least=0,
        at_most=1024,
    )
    define_expanded_dim: int = option(
        0,
        "size k that the layers grow to; 0 for D in the paper's form, and for 2n in "
        "the program's, whose last layer has D",
        at_least=0,
    )

    def free_size(self) -> str:
        """Name the size of a word's own vector."""
        return "define_input_dim"

    @staticmethod
    def sizes_in(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
        """Read ``n``, ``N`` and the most groups; see the base class."""
        narrow = shapes.get("narrow")
        found = {"define_input_dim": narrow[1]} if narrow else {}
        # A layer is layers.<number>, a group of it layers.<number>.parts.<number>.
        places = [name.split(".") for name in shapes if name.startswith("layers.")]
        if places:
            found["define_num_layers"] = len({place[1] for place in places})
            groups = {int(place[3]) for place in places if place[2] == "parts"}
            # In place of the description's list, which follows from both numbers.
            found["define_max_groups"] = 1 + max(groups, default=0)
        return found


class GroupLayer(nn.Module):
    """A linear layer whose matrix has blocks on its diagonal only, normalised.

    The input is split into ``g`` parts. Each goes through a matrix of its own, is
    normalised by gains and biases that all parts share, and through swish.

    Args:
        size_in: Values read, a multiple of ``groups``.
        size_out: Values made, a multiple of ``groups``.
        groups: Number of parts ``g``.
    """

    def __init__(self, size_in: int, size_out: int, groups: int) -> None:
        """Make the layer."""
        super().__init__()
        self.groups = groups
        self.parts = nn.ModuleList(
            nn.Linear(size_in // groups, size_out // groups) for _ in range(groups)
        )
        self.norm = nn.LayerNorm(size_out // groups)

    def forward(self, values: Tensor) -> Tensor:
        """Give the layer's values, ``(N, size_out)``, of others, ``(N, size_in)``."""
        read = values.chunk(self.groups, dim=1)
        made = [
            F.silu(self.norm(part(read[number])))
            for number, part in enumerate(self.parts)
        ]
        return torch.cat(made, dim=1)


def mix(values: Tensor, raw: Tensor, groups: int) -> Tensor:
    """Put parts of one input beside those of another, so that each group reads both.

    Args:
        values: Values of the layer before, ``(N, h)``.
        raw: What every layer reads, ``(N, e)``.
        groups: Number of groups ``g`` of the layer that reads them.

    Returns:
        ``(N, e + h)``: the first of ``g`` parts of ``raw``, the first of ``values``,
        the second parts, and so on.
    """
    parts = [raw.unflatten(1, (groups, -1)), values.unflatten(1, (groups, -1))]
    return torch.cat(parts, dim=2).flatten(1)


@register_embedding("define", DefineConfig)
class DefineEmbedding(CompactEmbedding):
    """DeFINE: ``n`` values a word through layers with groups, which all words share.

    ``e_w = W h_N, h_l = swish(norm(G_l [v_w; h_(l-1)]))``: ``v_w`` is a word's own, and
    ``G_l`` has ``g_l`` blocks on its diagonal, each of which reads a part of both.
    Mehta et al. (2020), "DeFINE: Deep Factorized Input Token Embeddings for Neural
    Sequence Modeling". Normalisation, swish and the factor ``n^0.5`` on a word's own
    vector are the published program's in both forms. Its dropout is left to the model.

    Attributes:
        narrow: The words' own vectors, ``(V, n)``.

    Reference:
        https://arxiv.org/abs/1911.12385
    """

    def lay_out(self, config: DefineConfig, size: TableSize) -> None:
        """Make the words' vectors and the layers; see the base class."""
        own, dim = config.define_input_dim, size.embedding_dim
        self.program = config.define_form == "program"
        self.groups = groups_of(config, dim)
        raw, made = layer_sizes(config, self.groups, dim)
        self.narrow = nn.Parameter(torch.empty(size.num_embeddings, own))
        read = [raw, *(raw + width for width in made[:-1])]
        self.layers = nn.ModuleList(
            GroupLayer(*sizes) for sizes in zip(read, made, self.groups, strict=True)
        )
        if self.program:
            self.entry: nn.Module = _dense(own, raw)
            self.exit: nn.Module = _dense(raw + made[-1], dim)
        else:
            self.entry = nn.ZeroPad1d((0, raw - own))
            self.exit = nn.Linear(made[-1], dim)
        # The Transformer multiplies what it reads by D^0.5; the program's does not.
        self.scale = dim**-0.5 if self.program else 1.0
        self.widest = own + 2 * raw + 4 * sum(read + made) + 4 * dim

    def reset_parameters(self) -> None:
        """Draw layers as the program does, and the last for vectors like look-up's."""
        nn.init.normal_(self.narrow, mean=0.0, std=self.narrow.size(1) ** -0.5)
        for module in self.modules():
            if isinstance(module, nn.LayerNorm):
                module.reset_parameters()
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                nn.init.zeros_(module.bias)
        if isinstance(self.exit, nn.Linear):
            take_scale_of_lookup(self, self.exit.weight)
        else:
            nn.init.constant_(self.exit.get_parameter("1.weight"), LAST_GAIN)

    def description(self) -> dict[str, Any]:
        """Name what the shapes do not say."""
        return {
            **super().description(),
            "form": self.config.define_form,
            "groups": self.groups,
            "expanded_dim": self.config.define_expanded_dim,
        }

    def network_matrices(self) -> dict[str, nn.Parameter]:
        """Name the layers' matrices, one a group; see the base class."""
        named = self.named_parameters()
        return {name: p for name, p in named if p.dim() == 2 and name != "narrow"}

    def rows(self, tokens: Tensor) -> Tensor:
        """Send the vectors of ``tokens`` through the layers; see the base class."""
        vectors = self.expand(F.embedding(tokens.flatten(), self.narrow))
        return vectors.view(tokens.shape + (self.embedding_dim,))  # noqa: RUF005 (TorchScript)

    def many_rows(self, words: Tensor) -> Tensor:
        """Build vectors in bounded memory; see the base class.

        Words are looked up before they are cut into slices, since a look-up in the
        slice would have a gradient of the size of the whole ``narrow`` in each.
        """
        if torch.jit.is_scripting():
            return self.rows(words)
        slices = slices_of(words, self.widest)
        own = F.embedding(words, self.narrow).split([*map(len, slices)])
        return table_in_slices(self.expand, own, self.weights(), len(slices) == 1)

    def expand(self, own: Tensor) -> Tensor:
        """Send words' own vectors, ``(N, n)``, through the layers: ``(N, D)``."""
        raw = self.entry(own * own.size(1) ** 0.5)
        values = raw
        for number, layer in enumerate(self.layers):
            if number > 0:
                values = mix(values, raw, self.groups[number])
            values = layer(values)
        if self.program:
            values = torch.cat([raw, values], dim=1)
        vectors: Tensor = self.exit(values) * self.scale
        return vectors


def groups_of(config: DefineConfig, dim: int) -> list[int]:
    """List the groups of each layer.

    Args:
        config: The options.
        dim: Vector size ``D``.

    Returns:
        In the paper's form ``g_max``, and half of it, rounded down, from layer to
        layer; in the program's the powers of two up to ``g_max``, again and again,
        from behind, so that the last layer has one group.
    """
    layers = config.define_num_layers
    usual = 2 ** math.ceil(math.log2(max(dim / 32, 1)))
    most = config.define_max_groups or min(usual, MOST_GROUPS)
    if config.define_form == "paper":
        return [max(most >> layer, 1) for layer in range(layers)]
    period = most.bit_length()
    return [2 ** (layer % period) for layer in reversed(range(layers))]


def layer_sizes(
    config: DefineConfig, groups: list[int], dim: int
) -> tuple[int, list[int]]:
    """Compute the sizes of the layers, which grow evenly.

    Each is rounded up so that the groups of both layers that have to do with it divide
    it, and to two values a group, of which normalisation makes a single one 0. In the
    paper's form a word's own vector is filled up with zeros for that.

    Args:
        config: The options.
        groups: The groups of each layer.
        dim: Vector size ``D``.

    Returns:
        The size of what all layers read, and the size of each layer.

    Raises:
        AloneError: If only huge layers could be divided by all groups, or vectors of
            one value would be normalised.
    """
    if math.lcm(*groups) > LARGEST_STEP:
        raise AloneError(
            f"--define-max-groups {groups[0]}: its halves, {groups}, divide only"
            f" multiples of {math.lcm(*groups):,}: take a power of two, such as"
            f" {2 ** (groups[0].bit_length() - 1)}"
        )
    program, layers = config.define_form == "program", len(groups)
    if program and dim == 1:
        raise AloneError(
            "--define-form program normalises the vectors, of which a size of 1 leaves"
            " nothing: take 2 values or more"
        )
    own, most = config.define_input_dim, config.define_expanded_dim
    raw = _round_up(max(dim // 2, 2) if program else own, math.lcm(*groups))
    start, end = (raw, most or 2 * own) if program else (own, most or dim)
    steps = layers - 1 if program else layers
    made = [
        _round_up(
            max(
                -(-(start * (steps - step) + end * step) // steps),
                2 * groups[step - 1],
            ),
            math.lcm(*groups[step - 1 : step + 1], 8 if program else 1),
        )
        for step in range(1, steps + 1)
    ]
    return raw, [*made, dim] if program else made


def _round_up(size: int, multiple: int) -> int:
    return -(-size // multiple) * multiple


def _dense(size_in: int, size_out: int) -> nn.Sequential:
    linear = nn.Linear(size_in, size_out)
    return nn.Sequential(linear, nn.LayerNorm(size_out), nn.SiLU())
