"""Output layers that map words and decoder states into a joint space."""

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..embeddings import CompactEmbedding, MethodOptions, option
from ..embeddings.description import decode, encode, explain
from ..embeddings.stored_integers import store_integers
from ..embeddings.tables.kept_table import KeptTable
from ..errors import AloneError
from .base import OutputLayer
from .registry import register_output_layer

STRUCTURES = ("both", "output", "context", "bilinear")


@dataclass
class JointConfig(MethodOptions):
    """Options of the joint layer, with the symbols of Pappas et al. (2018)."""

    joint_dim: int = option(
        0,
        "size d_j of the space of --output-layer joint; 0 means that of the decoder's "
        "states, the paper also has 4 and 8 times as much",
        at_least=0,
    )
    joint_structure: str = option(
        "both",
        "what --output-layer joint bends by a tanh: 'both', words and states (Eq. 14); "
        "or, for ablations, words only ('output', Eq. 7a), states only ('context', Eq. "
        "7b) or neither ('bilinear', Eq. 6), each by one matrix without a bias",
        choices=STRUCTURES,
    )

    def __post_init__(self) -> None:
        """Check all values, and that they go together."""
        super().__post_init__()
        if self.joint_dim and self.joint_structure != "both":
            raise AloneError(
                f"--joint-dim {self.joint_dim}: --joint-structure"
                f" {self.joint_structure} has one matrix, whose size is that of words"
                " and states: remove one"
            )


@register_output_layer("joint")
class JointProjection(OutputLayer, KeptTable):
    """Logits from words and states in a joint space (Pappas et al., 2018).

    ``tanh(U e_j + b_u) . tanh(V h + b_v)``: ``e_j`` is the vector of word ``j``, ``h``
    the decoder's state. The paper's bias ``b_j`` is ``--softmax-bias trained``. Without
    the maps it is the tied layer.

    Args:
        embedding: The embedding of the decoder's input.
        dim: Size ``d_h`` of the decoder's states.
        config: Options; the defaults if left out.

    Reference:
        https://aclanthology.org/W18-6308
    """

    config_class: ClassVar[type[MethodOptions]] = JointConfig
    description_version: Tensor

    def __init__(
        self, embedding: CompactEmbedding, dim: int, config: Any = None
    ) -> None:
        """Lay out the maps; see the class."""
        super().__init__(embedding, dim)
        config = config or self.config_class()
        structure, width = config.joint_structure, embedding.embedding_dim
        self.embedding = embedding
        self.bends_states = structure != "bilinear"
        self.word_map: nn.Linear | None = None
        self.state_map: nn.Linear | None = None
        if structure == "both":
            joint = config.joint_dim or dim
            self.word_map, self.state_map = (
                nn.Linear(width, joint),
                nn.Linear(dim, joint),
            )
        elif structure == "output":
            self.word_map = nn.Linear(width, dim, bias=False)
        else:
            self.state_map = nn.Linear(dim, width, bias=False)
        # Shapes do not tell two of the structures apart.
        store_integers(self, "description_version", encode({"structure": structure}))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw Xavier-uniform matrices; biases are zero.

        The published code draws every parameter of a model from ``[-0.1, 0.1]``, which
        is about as large at its size of 512.
        """
        for module in (self.word_map, self.state_map):
            if module is not None:
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)

    @torch.jit.unused
    def network_matrices(self) -> list[Tensor]:
        """List the maps' matrices; see the base class."""
        maps = (self.word_map, self.state_map)
        return [module.weight for module in maps if module is not None]

    def map_states(self, hidden: Tensor) -> Tensor:
        """Give ``tanh(V h + b_v)``, or what the structure has in its place.

        Args:
            hidden: Decoder states, ``(..., d_h)``.

        Returns:
            States, ``(..., d_j)``.
        """
        if self.state_map is None:
            return hidden
        mapped = self.state_map(hidden)
        return torch.tanh(mapped) if self.bends_states else mapped

    def mapped_words(self) -> Tensor:
        """Give ``tanh(U e_j + b_u)`` of all words, ``(V, d_j)``.

        By the embedding's factors of the logits, so that one with a cheaper order of
        products than through its table takes it here too.
        """
        assert self.word_map is not None
        factors = self.embedding.softmax_factors(self.word_map.weight)
        return torch.tanh(F.linear(factors[1], factors[0], self.word_map.bias))

    def softmax_factors(self, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """Give mapped states and words; see the base class."""
        states = self.map_states(hidden)
        if self.word_map is None:
            return self.embedding.softmax_factors(states)
        if torch.jit.is_scripting():
            return states, self.mapped_words()
        return states, self._kept.get(self, self.mapped_words)

    @torch.jit.unused
    def factors_of(self, hidden: Tensor, words: Tensor) -> tuple[Tensor, Tensor]:
        """Give mapped states and some words; see the base class."""
        rows = self.embedding.many_rows(words)
        if self.word_map is not None:
            rows = torch.tanh(self.word_map(rows))
        return self.map_states(hidden), rows

    def matrix(self) -> Tensor | None:
        """Give the matrix of a structure that leaves states unbent; see the base."""
        if self.state_map is None:
            return self.mapped_words()
        if self.bends_states:
            return None
        return self.embedding.table() @ self.state_map.weight

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, *args: Any
    ) -> None:
        name = f"{prefix}description_version"
        stored = state_dict.setdefault(name, self.description_version)
        theirs, mine = decode(stored), decode(self.description_version)
        if theirs != mine:
            whose = "--joint-structure: the checkpoint's output layer"
            raise AloneError(explain(theirs, mine, whose))
        super()._load_from_state_dict(state_dict, prefix, *args)


@register_output_layer("bilinear")
class BilinearProjection(JointProjection):
    """Logits ``e_j W h``, with one trained matrix ``W`` for all words (their Eq. 6).

    Args:
        embedding: The embedding of the decoder's input.
        dim: Size of the decoder's states.
        config: Not used.
    """

    config_class = MethodOptions

    def __init__(
        self, embedding: CompactEmbedding, dim: int, config: Any = None
    ) -> None:
        """Lay out the matrix."""
        del config
        super().__init__(embedding, dim, JointConfig(joint_structure="bilinear"))
