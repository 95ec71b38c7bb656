"""The interface of all embedding methods."""

import operator
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..errors import AloneError
from ..footprint import Footprint, is_only_measured, measure
from .description import encode, refuse_other
from .fit import fit
from .free_size import resolve
from .options import MethodOptions
from .stored_integers import store_integers
from .table_size import TableSize as TableSize
from .table_size import refuse_outside
from .tables.kept_table import KeptTable
from .tables.slices import slices_of, table_in_slices


class CompactEmbedding(KeptTable, ABC):
    """Word vectors without a trained matrix of their own size.

    A method writes :meth:`lay_out`, :meth:`rows` and :meth:`reset_parameters`, and
    :meth:`description` where it has random parts that are not stored. The same
    module can serve the encoder input, the decoder input and the tied softmax.

    No attribute may be called ``weight``: fairseq would copy it into the output
    layer. Integers that are not trained but stored go through ``store_integers``.

    Args:
        num_embeddings: Vocabulary size ``V``, special symbols included.
        embedding_dim: Size ``D`` of a word vector.
        padding_idx: Row for which the embedding returns zeros as input; ``None`` for
            none. :meth:`table` and :meth:`tied_logits` treat it as any other.
        symbols: The word of each row, ``V`` of them, for methods that read spellings.
        config: The method's options, where they are already gathered.
        **options: The method's options by the names of their flags, with ``_`` for
            ``-``; others get their defaults.

    Raises:
        AloneError: If a size or an option is out of range.
        TypeError: If the method has no option of that name.

    Attributes:
        method: The name under which the method is registered.
        config_class: The class of its options.
        serves_softmax: Whether an output layer is tied to it, so that a forward pass
            needs the whole table anyway.
        widest: Most values that one word takes while its vector is built, by which
            :meth:`many_rows` bounds memory: ``D`` unless :meth:`lay_out` says more.
    """

    method: ClassVar[str] = ""
    config_class: ClassVar[type[MethodOptions]] = MethodOptions
    description_version: Tensor

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        symbols: Sequence[str] | None = None,
        *,
        config: Any = None,
        **options: Any,
    ) -> None:
        """Lay the embedding out and draw its initial values."""
        super().__init__()
        # NumPy's numbers, as of a largest index, become Python's.
        words, dim = operator.index(num_embeddings), operator.index(embedding_dim)
        padding = None if padding_idx is None else operator.index(padding_idx)
        size = TableSize(words, dim, padding, symbols)
        size.check()
        given = self.config_class(**options) if config is None else config
        self.config: Any = resolve(type(self), given, [size])
        self.num_embeddings, self.embedding_dim, self.padding_idx = size[:3]
        self.serves_softmax = False
        self.widest = size.embedding_dim
        device = torch.empty(0).device
        # Filters and codes are drawn on a CPU, and what goes with them is made there.
        with torch.device("meta" if is_only_measured() else "cpu"):
            self.lay_out(self.config, size)
            if not is_only_measured():
                self.reset_parameters()
            description = {"method": self.method, **self.description()}
            store_integers(self, "description_version", encode(description))
        if device.type != "meta":
            self.to(device)

    @abstractmethod
    def lay_out(self, config: Any, size: TableSize) -> None:
        """Make the parameters, the buffers and the modules; their values come later.

        Args:
            config: The method's options.
            size: The size of the table.
        """

    @abstractmethod
    def rows(self, tokens: Tensor) -> Tensor:
        """Build the vectors of ``tokens``, always the same ones: without dropout.

        Args:
            tokens: Word indices in ``[0, V)``, int64, ``(...)``.

        Returns:
            Word vectors, ``(..., D)``, in the type of the parameters.
        """

    @abstractmethod
    def reset_parameters(self) -> None:
        """Draw the initial values of all parameters."""

    def description(self) -> dict[str, Any]:
        """Tell what a checkpoint must agree on beside the trained values.

        Returns:
            Names and plain values; a difference in any refuses the checkpoint.
        """
        return {"vocabulary": self.num_embeddings}

    def network_matrices(self) -> dict[str, nn.Parameter]:
        """Name the matrices of the network that all words go through.

        Returns:
            Trained matrices by their names among the parameters. None where there is
            no network; what belongs to single words is no part of one.
        """
        return {}

    @classmethod
    def from_vectors(
        cls, vectors: Tensor, padding_idx: int | None = None, **options: Any
    ) -> Self:
        """Make an embedding that is as close to given vectors as it can come.

        Args:
            vectors: The vectors of all words, ``(V, D)``, such as the ``weight`` of an
                ``nn.Embedding``; the embedding has their type and device.
            padding_idx: As in the constructor.
            **options: As in the constructor.

        Raises:
            AloneError: As the constructor, or if the method has nothing to train.
        """
        words, dim = vectors.shape
        embedding = cls(words, dim, padding_idx, **options)
        wide = vectors.detach().to(torch.promote_types(vectors.dtype, torch.float32))
        embedding.to(wide).take_vectors(wide)
        return embedding.to(vectors.dtype)

    def take_vectors(self, vectors: Tensor) -> None:
        """Come close to given vectors; the place for a better way than :func:`fit`.

        Args:
            vectors: ``(V, D)``, of the parameters' type: float32 or float64.
        """
        fit(self, vectors)

    def stored_as(self, other: "CompactEmbedding") -> "CompactEmbedding":
        """Give the same vectors with values that ``other`` can load.

        The place for options that change what is stored and not what is computed.
        """
        del other
        return self

    def set_num_updates(self, num_updates: int) -> None:
        """Learn how many updates are done: for what depends on time.

        Args:
            num_updates: Completed updates; fairseq's trainer gives them before each.
        """

    def training_rows(self, tokens: Tensor) -> Tensor:
        """Build the vectors of ``tokens`` as input: with what acts in training only.

        The place for dropout and noise. Where none acts: :meth:`shared_rows`.

        Args:
            tokens: Word indices, int64, ``(...)``.

        Returns:
            Word vectors, ``(..., D)``.
        """
        return self.shared_rows(tokens)

    def shared_rows(self, tokens: Tensor) -> Tensor:
        """Look ``tokens`` up in the table where there is one, or build each word once.

        Args:
            tokens: Word indices, int64, ``(...)``.

        Returns:
            Word vectors, ``(..., D)``, equal to those of :meth:`rows`.
        """
        if torch.jit.is_scripting():
            return self.rows(tokens)
        if self.rows_are_cheap:
            return self.rows(tokens)
        table = self._kept.for_input(self, self.table, self.serves_softmax)
        if table is not None:
            return F.embedding(tokens, table)
        words, places = torch.unique(tokens, return_inverse=True)
        return F.embedding(places, self.rows(words))

    def forward(self, tokens: Tensor) -> Tensor:
        """Look up the vectors of ``tokens`` as input of a model.

        Args:
            tokens: Word indices, int64 or int32, ``(...)``.

        Returns:
            Word vectors, ``(..., D)``, exact zeros for padding.

        Raises:
            TypeError: If tokens are no int64 or int32.
            IndexError: On a CPU, if a token is outside the vocabulary.
        """
        if not torch.jit.is_scripting():
            refuse_outside(tokens, self.num_embeddings)
        vectors = self.training_rows(tokens)
        if self.padding_idx is None:
            return vectors
        padding = tokens.eq(self.padding_idx).unsqueeze(-1)
        return vectors.masked_fill(padding, 0.0)

    def table(self) -> Tensor:
        """Build the vectors of the whole vocabulary, ``(V, D)``, without dropout."""
        return self.many_rows(torch.arange(self.num_embeddings, device=self.device()))

    def many_rows(self, words: Tensor) -> Tensor:
        """Build the vectors of words in bounded memory, however many they are.

        Args:
            words: Word indices, int64, ``(N,)``.

        Returns:
            Vectors, ``(N, D)``, of :meth:`rows`, which is called slice by slice.
        """
        if torch.jit.is_scripting():
            return self.rows(words)
        if self.rows_are_cheap:
            return self.rows(words)
        slices = slices_of(words, self.widest)
        return table_in_slices(self.rows, slices, self.weights(), len(slices) == 1)

    def tied_logits(self, hidden: Tensor) -> Tensor:
        """Score the vocabulary: the output layer tied to this embedding.

        Args:
            hidden: Decoder states, ``(..., D)``.

        Returns:
            Logits, ``(..., V)``, equal to ``hidden @ table().T``.
        """
        states, weights = self.softmax_factors(hidden)
        return F.linear(states, weights)

    def softmax_factors(self, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """Give the factors of the logits; the place for a cheaper order of products.

        Args:
            hidden: Decoder states, ``(..., D)``.

        Returns:
            States, ``(..., r)``, and weights, ``(V, r)``; ``states @ weights.T`` are
            the logits. Here ``hidden`` itself and the table, which is built only where
            it is not kept.
        """
        if torch.jit.is_scripting():
            return hidden, self.table()
        return hidden, self._kept.get(self, self.table)

    @torch.jit.unused
    def vectors_of(self, words: Sequence[str]) -> Tensor:
        """Build vectors, ``(N, D)``, of any ``N`` words, also outside the vocabulary.

        Raises:
            AloneError: If the method knows the words of its vocabulary only.
        """
        raise AloneError(
            f"--embedding-method {self.method} knows only the words of its vocabulary:"
            f" none such as '{' '.join(words[:1])}'"
        )

    def device(self) -> torch.device:
        """Tell where the embedding lives."""
        return self.description_version.device

    @torch.jit.unused
    def footprint(self) -> Footprint:
        """Measure trained values, stored values and stored bytes."""
        return measure(self)

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, *args: Any
    ) -> None:
        self._kept.drop_all()
        start = len(prefix)
        own = {n[start:]: t for n, t in state_dict.items() if n.startswith(prefix)}
        if "description_version" in own:
            refuse_other(self, own)
        super()._load_from_state_dict(state_dict, prefix, *args)
