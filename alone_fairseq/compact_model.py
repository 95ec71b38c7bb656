"""What all models with compact embeddings share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from fairseq.data import Dictionary
from torch import Tensor, nn

from . import size_report
from .embeddings import CompactEmbedding
from .errors import AloneError
from .kept_layers import keep_layers
from .layer_sizes import explain_layers
from .output import OutputLayer


class CompactModel:
    """Put before one of fairseq's encoder-decoder models, as its first base class.

    A model writes how its encoder and decoder get what :mod:`.model_parts`
    makes. Where they keep it under other names than fairseq's
    Transformer, or where there is one side only, it overrides :meth:`sides`,
    :meth:`output_layer` and :meth:`hidden_matrices`. Its ``forward`` takes
    ``features_only``, for criteria that make logits themselves.

    Attributes:
        adds_up_batches: Whether an update is made of several batches in one process.
        num_updates: Updates that are done.
    """

    adds_up_batches = False
    num_updates = 0
    _size_is_known = False

    def sides(self) -> dict[str, tuple[CompactEmbedding, Dictionary]]:
        """Name the embeddings, each with the dictionary of its words.

        Returns:
            Those of ``source`` and ``target``, the same one twice where it is shared.
        """
        model: Any = self
        return {
            "source": (model.encoder.embed_tokens, model.encoder.dictionary),
            "target": (model.decoder.embed_tokens, model.decoder.dictionary),
        }

    def output_layer(self) -> OutputLayer:
        """Give what makes logits of the decoder's states."""
        model: Any = self
        layer: OutputLayer = model.decoder.output_projection
        return layer

    def compact_embeddings(self) -> list[CompactEmbedding]:
        """List the embeddings, a shared one once."""
        return list(dict.fromkeys(embedding for embedding, _ in self.sides().values()))

    def hidden_matrices(self) -> Iterator[nn.Parameter]:
        """Go through the parameters of the layers, whose matrices Muon may train."""
        model: Any = self
        for half in (model.encoder, model.decoder):
            yield from half.layers.parameters()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the model with each embedding's table built once for the whole pass.

        It is the call rather than ``forward``, which TorchScript compiles.
        """
        with self.one_table():
            return super().__call__(*args, **kwargs)  # type: ignore[misc] # fairseq's

    @contextmanager
    def one_table(self) -> Iterator[None]:
        """Build each embedding's table at most once inside ``with``.

        For a forward pass and the loss after it; see ``CompactEmbedding.one_table``.
        """
        with ExitStack() as stack:
            for embedding in self.compact_embeddings():
                stack.enter_context(embedding.one_table())
            yield

    @contextmanager
    def rows_only(self) -> Iterator[None]:
        """Let input build single rows inside ``with``: no softmax needs a table."""
        serving = [e for e in self.compact_embeddings() if e.serves_softmax]
        for embedding in serving:
            embedding.serves_softmax = False
        try:
            yield
        finally:
            for embedding in serving:
                embedding.serves_softmax = True

    def softmax_factors(self, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """Give the two factors of the logits.

        Args:
            hidden: Decoder states, ``(..., D)``, of a call with ``features_only``.

        Returns:
            States, ``(..., r)``, and weights, ``(V, r)``; r is D with most output
            layers and embeddings.
        """
        return self.output_layer().softmax_factors(hidden)

    def softmax_factors_of(
        self, hidden: Tensor, words: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Give the factors of the logits of some words.

        Args:
            hidden: As in :meth:`softmax_factors`.
            words: Word indices, int64, ``(K,)``.

        Returns:
            States, ``(..., r)``, and weights, ``(K, r)``.
        """
        return self.output_layer().factors_of(hidden, words)

    def softmax_bias(self) -> Tensor | None:
        """Give what is added to the logits, ``(V)``, if anything."""
        bias = self.output_layer().bias
        return None if bias is None else bias.values

    def set_num_updates(self, num_updates: int) -> None:
        """Learn how many updates are done, from fairseq's trainer before each batch.

        The trainer calls :meth:`all_reduce_grads` once an update, so from here on the
        micro-batches of an update can share a table.
        """
        super().set_num_updates(num_updates)  # type: ignore[misc] # fairseq's
        self.num_updates = num_updates
        for embedding in self.compact_embeddings():
            embedding.share_table_in_update(self.adds_up_batches)

    def upgrade_state_dict(self, state_dict: Any) -> None:
        """Let fairseq bring the state of an older release up to date, in place.

        It takes a Transformer's state without a version for one of before the layer
        normalisation at the end, and drops that from the model. Its moving averages
        (``--store-ema``) have no version, but the normalisation.
        """
        model: Any = self
        for name, version in model.named_buffers():
            half, _, last = name.rpartition(".")
            if last == "version" and f"{half}.layer_norm.weight" in state_dict:
                state_dict.setdefault(name, version)
        super().upgrade_state_dict(state_dict)  # type: ignore[misc] # fairseq's

    def load_state_dict(
        self,
        state_dict: Any,
        strict: bool = True,
        model_cfg: Any = None,
        args: Any = None,
    ) -> Any:
        """Load a state; one of other sizes is refused in a line that names the flags.

        Args:
            state_dict: The state.
            strict: Whether its names must be those of the model.
            model_cfg: Options of the model, which may want some of its layers only.
            args: The same, as older programs give them.

        Raises:
            AloneError: If encoder, decoder or embeddings have other sizes.
        """
        model: Any = super()
        # To read a model for use, fairseq first tells how many updates it has. Its
        # trainer tells that again afterwards.
        for embedding in self.compact_embeddings():
            embedding.share_table_in_update(False)
        state_dict = keep_layers(state_dict, model_cfg or args)
        try:
            return model.load_state_dict(state_dict, strict)
        except (AloneError, RuntimeError) as error:
            # Other sizes of the layers make other sizes of the embedding.
            me: Any = self
            line = explain_layers(state_dict, me.state_dict())
            if line is None:
                raise
            raise AloneError(line) from error

    def train(self, mode: bool = True) -> Any:
        """Switch the mode; before a training, the size of the embeddings is logged.

        Here, since models that only translate are built by the same function.
        """
        if mode and not self._size_is_known:
            self._size_is_known = True
            size_report.log_size(self)
        return super().train(mode)  # type: ignore[misc] # fairseq's

    def all_reduce_grads(self) -> None:
        """Complete the gradients of an update; fairseq's optimisers call this."""
        for embedding in self.compact_embeddings():
            embedding.pass_on_gradient()
