"""The interface of all embedding methods."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Self

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..errors import AloneError
from ..footprint import Footprint, measure
from .description import decode, encode, explain
from .kept_table import KeptTable


class CompactEmbedding(nn.Module, ABC):
    """Word vectors without a trained matrix of their own size.

    A method writes :meth:`rows` and :meth:`reset_parameters`, and
    :meth:`description` where it has random parts that are not stored. The same
    module can serve the encoder input, the decoder input and the tied softmax.

    No attribute may be called ``weight``: fairseq would copy it into the output
    layer. What is not trained must not be a stored integer buffer of its own:
    fairseq's moving average and checkpoint averaging spoil those.

    Args:
        config: The method's options.
        num_embeddings: Vocabulary size ``V``, special symbols included.
        embedding_dim: Size ``D`` of a word vector.
        padding_idx: Row for which :meth:`forward` returns zeros. :meth:`table` and
            :meth:`attend` treat it as any other row.

    Attributes:
        serves_softmax: Whether an output layer is tied to it, so that a forward pass
            needs the whole table anyway.
        table_is_computed: Whether :meth:`table` computes anything: if not, nothing is
            gained by keeping it.
    """

    description_version: Tensor
    table_is_computed = True

    def __init__(
        self, config: Any, num_embeddings: int, embedding_dim: int, padding_idx: int
    ) -> None:
        """Set the three attributes that fairseq reads."""
        super().__init__()
        self.config = config
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.serves_softmax = False
        self._kept = KeptTable()

    @abstractmethod
    def rows(self, tokens: Tensor) -> Tensor:
        """Build the vectors of ``tokens`` without dropout.

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

    def input_rows(self, tokens: Tensor) -> Tensor:
        """Build the vectors of input ``tokens``; the place for training-time dropout.

        A method whose rows cost more than a look-up returns :meth:`kept_rows` here.

        Args:
            tokens: Word indices, int64, ``(...)``.

        Returns:
            Word vectors, ``(..., D)``.
        """
        return self.rows(tokens)

    def kept_rows(self, tokens: Tensor) -> Tensor:
        """Look ``tokens`` up in the table where there is one, or build each word once.

        Args:
            tokens: Word indices, int64, ``(...)``.

        Returns:
            Word vectors, ``(..., D)``.
        """
        if torch.jit.is_scripting():
            return self.rows(tokens)
        table = self._kept.for_input(self)
        if table is not None:
            return F.embedding(tokens, table)
        words, places = torch.unique(tokens, return_inverse=True)
        return F.embedding(places, self.rows(words))

    def forward(self, tokens: Tensor) -> Tensor:
        """Look up the vectors of ``tokens`` as input of a model.

        Args:
            tokens: Word indices, int64, ``(...)``.

        Returns:
            Word vectors, ``(..., D)``, exact zeros for padding.
        """
        padding = tokens.eq(self.padding_idx).unsqueeze(-1)
        return self.input_rows(tokens).masked_fill(padding, 0.0)

    def table(self) -> Tensor:
        """Build the vectors of the whole vocabulary, without dropout.

        Returns:
            Table of shape ``(V, D)``, with gradients where they are enabled.
        """
        return self.rows(torch.arange(self.num_embeddings, device=self.device()))

    def attend(self, hidden: Tensor) -> Tensor:
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
        return hidden, self._kept.get_or_build(self)

    @torch.jit.unused
    def one_table(self) -> AbstractContextManager[None]:
        """Build the table at most once inside ``with``, also where it has gradients.

        For one forward pass, and the loss after it: no parameter may change inside, and
        after a backward pass there would be nothing left to go back through. Within
        another, it adds nothing.
        """
        return self._kept.shared()

    @torch.jit.unused
    def share_table_in_update(self, shared: bool) -> None:
        """Let all micro-batches of an update use one table, where it costs to build.

        Args:
            shared: Whether to. If so, :meth:`pass_on_gradient` is due before each
                optimiser step; a step without it is refused.
        """
        self._kept.spans_update = shared and self.table_is_computed

    @torch.jit.unused
    def pass_on_gradient(self) -> None:
        """Add to the parameters' gradients what an update's shared table has."""
        self._kept.pass_on_gradient()

    def set_num_updates(self, num_updates: int) -> None:
        """Learn how many updates are done: for what depends on time.

        Args:
            num_updates: Completed updates; fairseq's trainer gives them before each.
        """

    def device(self) -> torch.device:
        """Tell where the embedding lives."""
        return self.description_version.device

    @torch.jit.unused
    def footprint(self) -> Footprint:
        """Measure trained values, stored values and stored bytes."""
        return measure(self)

    def finish(self, method: str) -> None:
        """End the construction: draw the parameters and add the description.

        The word ``version`` in the buffer's name keeps fairseq's moving average
        from decaying it.

        Args:
            method: The name under which the class is registered.
        """
        self.reset_parameters()
        description = {"method": method, **self.description()}
        self.register_buffer("description_version", encode(description))

    def train(self, mode: bool = True) -> Self:
        """Switch the mode; the kept table is dropped."""
        self._kept.drop()
        return super().train(mode)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        self._kept.drop_all()
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call] # torch's
        return self

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, *args: Any
    ) -> None:
        self._kept.drop_all()
        name = f"{prefix}description_version"
        mine = decode(self.description_version)
        if name in state_dict:
            theirs = decode(state_dict[name])
            if theirs != mine:
                raise AloneError(explain(theirs, mine))
        super()._load_from_state_dict(state_dict, prefix, *args)
