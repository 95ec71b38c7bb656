"""Vectors from spellings: a recurrent network reads the characters of a word."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..errors import AloneError
from ..footprint import is_only_measured
from .base import CompactEmbedding, TableSize
from .initial_scale import take_scale_of_lookup
from .options import MethodOptions, in_small_presets, option
from .registry import register_embedding
from .spelled_states import (
    LSTM,
    by_beginnings,
    in_slices,
    last_states,
    packed_states,
)
from .spellings import Spellings

PUBLISHED_CHARACTERS = 93
"""Characters of Stratos (2017): what is counted where only a size is wanted and no
words are there."""


LONGEST_READ_ONCE = 64
"""Characters up to which a CPU reads shared beginnings once. Longer words share little,
and each character takes more calls than in torch's LSTM."""


@dataclass
class CharactersConfig(MethodOptions):
    """Options of vectors from spellings, with the symbols of Stratos (2017)."""

    sizes = in_small_presets(characters_dim="auto:0.5")

    characters_dim: int = option(
        0,
        "size d_c of a character and of the network's states; 0 for D, as in the "
        "paper; auto:0.5 for the largest with at most half of the values of look-up",
        at_least=0,
    )
    characters_highway: bool = option(
        False,
        "let part of the vector pass the ReLU by, which alone leaves no value below 0; "
        "the paper's choice for analogies",
    )
    characters_min_count: int = option(
        2,
        "words that a character must be in; all others, and those of new words, are "
        "one unknown character",
        at_least=1,
    )

    def free_size(self) -> str:
        """Name the size of a character."""
        return "characters_dim"

    @staticmethod
    def sizes_in(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
        """Read the size of a character; see the base class."""
        found = shapes.get("characters")
        return {"characters_dim": found[1]} if found else {}


@register_embedding("characters", CharactersConfig)
class CharactersEmbedding(CompactEmbedding):
    """A vector from the spelling of a word: ``e_w = relu(W_f f_w + W_b b_w + c)``.

    ``f_w`` and ``b_w`` are the last states of two LSTMs, which read the characters from
    the first and from the last on: Stratos (2017), "Reconstruction of Word Embeddings
    from Sub-Word Parameters", equations 2 and 3. Words that were never seen have
    vectors too. Spellings come with the words of the table (``symbols``), a
    dictionary's where there is one, and are not stored a second time;
    :mod:`~.spellings` says what becomes of the marks of subword units.

    Attributes:
        characters: A vector a character, ``(|C|, d_c)``, the first for unknown ones.
    """

    spelled: Tensor
    starts: Tensor

    # TorchScript has no such class, and need not know it.
    __jit_ignored_attributes__: ClassVar[list[str]] = ["spellings"]

    def lay_out(self, config: CharactersConfig, size: TableSize) -> None:
        """Make the network, and spell all words; see the base class."""
        dim = config.characters_dim or size.embedding_dim
        self.spellings = self._spell(size.symbols, config.characters_min_count)
        known = len(self.spellings) if self.spellings else PUBLISHED_CHARACTERS
        self.characters = nn.Parameter(torch.empty(known, dim))
        self.lstm = LSTM(dim, dim, batch_first=True, bidirectional=True)
        # torch adds two biases of which one is enough: the other stays at 0.
        self.lstm.bias_hh_l0.requires_grad_(False)
        self.lstm.bias_hh_l0_reverse.requires_grad_(False)
        self.projection = nn.Linear(2 * dim, size.embedding_dim)
        self.highway: nn.Linear | None = None
        if config.characters_highway:
            self.highway = nn.Linear(size.embedding_dim, size.embedding_dim)

    def _spell(self, words: Sequence[str] | None, min_count: int) -> Spellings | None:
        self.checksum = "0" * 16
        spelled = starts = torch.empty(0, dtype=torch.int64)
        spellings = None if words is None else Spellings(words, min_count)
        if spellings is not None and words is not None and not is_only_measured():
            spelled, starts = spellings.encode(words)
            self.checksum = spellings.checksum(words)
        elif not is_only_measured():
            raise AloneError(
                "--embedding-method characters reads how words are spelled, and no"
                " words were given: name those of the table's rows as symbols"
            )
        self.register_buffer("spelled", spelled, persistent=False)
        self.register_buffer("starts", starts, persistent=False)
        return spellings

    def reset_parameters(self) -> None:
        """Draw all as torch does; forget gates start open, vectors like look-up's."""
        nn.init.normal_(self.characters)
        for module in (self.lstm, self.projection, self.highway):
            if module is not None:
                module.reset_parameters()
        for name, bias in self.lstm.named_parameters():
            if name.startswith("bias"):
                nn.init.zeros_(bias)
            if name.startswith("bias_ih"):
                nn.init.ones_(bias.view(4, -1)[1])
        nn.init.zeros_(self.projection.bias)
        # With a highway, how much goes through it changes with the size a little.
        for _ in range(1 if self.highway is None else 4):
            take_scale_of_lookup(self, self.projection.weight)

    def description(self) -> dict[str, Any]:
        """Name what the shapes do not say, and the checksum of the words."""
        return {
            **super().description(),
            "highway": self.config.characters_highway,
            "min_count": self.config.characters_min_count,
            "checksum": self.checksum,
        }

    def network_matrices(self) -> dict[str, nn.Parameter]:
        """Name the matrices of all layers; see the base class."""
        named = self.named_parameters()
        return {name: p for name, p in named if p.dim() == 2 and name != "characters"}

    def rows(self, tokens: Tensor) -> Tensor:
        """Read the spellings of ``tokens``; see the base class."""
        words = tokens.flatten()
        if torch.jit.is_scripting():
            first = self.starts[words]
            lengths = self.starts[words + 1] - first
            vectors = self._read_once(self.spelled, first, lengths)
        else:
            vectors = self.read(self.spelled, self.starts, words)
        return vectors.view(tokens.shape + (self.embedding_dim,))  # noqa: RUF005 (TorchScript)

    def many_rows(self, words: Tensor) -> Tensor:
        """Read words in bounded memory; see the base class."""
        return self.rows(words)

    @torch.jit.unused
    def vectors_of(self, words: Sequence[str]) -> Tensor:
        """Read any words; see the base class."""
        assert self.spellings is not None  # else only the size was wanted
        spelled, starts = self.spellings.encode(words)
        every = torch.arange(len(words), device=self.device())
        return self.read(spelled.to(every), starts.to(every), every)

    @torch.jit.unused
    def read(self, spelled: Tensor, starts: Tensor, words: Tensor) -> Tensor:
        """Read words, but for tensors as large as the result in bounded memory.

        Args:
            spelled: Rows of characters, int64.
            starts: Where words start among them, and the end of the last one, int64.
            words: Which of them, int64, ``(N)``.

        Returns:
            Vectors, ``(N, D)``.
        """
        first = starts[words]
        lengths = starts[words + 1] - first
        longest = LONGEST_READ_ONCE if words.is_cpu else 0
        places = [words[:0]]
        # Of no word, and with a gradient all the same.
        projection = self.projection.weight
        vectors = [F.linear(projection.new_zeros(0, projection.size(1)), projection)]
        for chosen, read in (
            (lengths <= longest, self._read_once_in_slices),
            (lengths > longest, self._read_packed_in_slices),
        ):
            place = chosen.nonzero().squeeze(1)
            if len(place) == len(words) > 0:
                return read(spelled, first, lengths)
            if len(place):
                places.append(place)
                vectors.append(read(spelled, first[place], lengths[place]))
        return torch.cat(vectors)[torch.cat(places).argsort()]

    def _read_once(self, spelled: Tensor, first: Tensor, lengths: Tensor) -> Tensor:
        used, directions = self._directions(spelled, first, lengths)
        ahead, back = [
            F.linear(last_states(used, begin, lengths, step, into, on), projection)
            for begin, step, into, on, projection in directions
        ]
        return self._vectors(ahead + back)

    @torch.jit.unused
    def _read_once_in_slices(
        self, spelled: Tensor, first: Tensor, lengths: Tensor
    ) -> Tensor:
        used, directions = self._directions(spelled, first, lengths)

        def one_way(
            begin: Tensor, step: int, into: Tensor, on: Tensor, projection: Tensor
        ) -> Tensor:
            order, own = by_beginnings(used, begin, lengths, step, len(into))

            def read(words: Tensor) -> Tensor:
                some = begin[words], lengths[words]
                return F.linear(last_states(used, *some, step, into, on), projection)

            return in_slices(read, order, own, on.size(1), (into, on, projection))

        ahead, back = (one_way(*direction) for direction in directions)
        return self._vectors(ahead + back)

    @torch.jit.unused
    def _read_packed_in_slices(
        self, spelled: Tensor, first: Tensor, lengths: Tensor
    ) -> Tensor:
        def read(words: Tensor) -> Tensor:
            some = first[words], lengths[words]
            states = packed_states(self.lstm, self.characters, spelled, *some)
            return self._vectors(F.linear(states, self.projection.weight))

        order = lengths.argsort()
        size = self.characters.size(1)
        return in_slices(read, order, lengths[order], size, tuple(self.weights()))

    def _directions(
        self, spelled: Tensor, first: Tensor, lengths: Tensor
    ) -> tuple[Tensor, list[tuple[Tensor, int, Tensor, Tensor, Tensor]]]:
        starts = lengths.cumsum(0) - lengths
        offsets = torch.repeat_interleave(first - starts, lengths)
        # Only characters of these words, or a few words of Chinese would need the
        # gates of thousands.
        used, rows = torch.unique(
            spelled[offsets + torch.arange(len(offsets), device=offsets.device)],
            return_inverse=True,
        )
        lstm, read = self.lstm, F.embedding(used, self.characters)
        # What a character adds to the gates is the same wherever it stands.
        bias = lstm.bias_ih_l0 + lstm.bias_hh_l0
        into = F.linear(read, lstm.weight_ih_l0, bias)
        bias = lstm.bias_ih_l0_reverse + lstm.bias_hh_l0_reverse
        back_into = F.linear(read, lstm.weight_ih_l0_reverse, bias)
        ahead, back = self.projection.weight.chunk(2, dim=1)
        last = starts + lengths - 1
        return rows, [
            (starts, 1, into, lstm.weight_hh_l0, ahead),
            (last, -1, back_into, lstm.weight_hh_l0_reverse, back),
        ]

    def _vectors(self, projected: Tensor) -> Tensor:
        linear = projected + self.projection.bias
        vectors = F.relu(linear)
        if self.highway is not None:
            gate = torch.sigmoid(self.highway(vectors))
            vectors = gate * vectors + (1.0 - gate) * linear
        return vectors
