"""A bias on the logits that knows how frequent words are."""

import hashlib
import logging
from collections.abc import Callable, Sequence
from typing import Any, Self

import torch
from torch import Tensor, nn

from ..embeddings.description import decode, encode
from ..embeddings.stored_integers import store_integers
from ..errors import AloneError

logger = logging.getLogger(__name__)

KINDS = ("none", "unigram", "trained")

END_OF_SENTENCE_SHARE = 1 / 12
"""Part of all tokens that end a sentence. Dictionaries do not count them; this is a
sentence of eleven words, and a wrong one costs little, as there is but one such token
and every sentence trains it."""


LEAST_SHARE_OF_OTHERS = 1 / 20
"""Least part of the words whose counts are not the most frequent one. In text some
half of all words are met once; in a dictionary that was not counted, a few words
at most were added with another count."""


def log_frequencies(counts: Sequence[int], eos: int, specials: int) -> Tensor:
    """Give the logarithm of the relative frequency of each symbol.

    The other special symbols, and symbols that were never seen, count as seen once:
    ``<pad>`` and the beginning of a sentence are never a target, and how many words
    became ``<unk>`` is not known.

    Args:
        counts: How often each symbol of a dictionary occurs, ``V`` of them.
        eos: Index of the end of a sentence.
        specials: Number of special symbols, which come first.

    Returns:
        Natural logarithms, float32, ``(V)``; their exponentials sum to 1.

    Raises:
        AloneError: If the dictionary has no counts to speak of: nearly all words have
            the same.
    """
    seen = torch.tensor(counts, dtype=torch.float64).clamp(min=1.0)
    words = seen[specials:]
    alike = int(words.unique(return_counts=True)[1].max()) if len(words) else 0
    if len(words) > 1 and len(words) - alike < LEAST_SHARE_OF_OTHERS * len(words):
        raise AloneError(
            "--softmax-bias unigram needs to know how frequent words are, and"
            f" {alike:,} of {len(words):,} words of the target dictionary have the same"
            " count: give one that fairseq-preprocess counted (of a trained model, that"
            " of its training), or train with --softmax-bias none, whose place unigram"
            " takes in presets of ALONE"
        )
    seen[:specials] = 1.0
    seen[eos] = 0.0
    seen[eos] = seen.sum() * END_OF_SENTENCE_SHARE / (1.0 - END_OF_SENTENCE_SHARE)
    return (seen / seen.sum()).log().float()


def _digest(values: Tensor) -> str:
    if values.is_meta:  # only the size is wanted
        return "0" * 16
    # Rounded, since another processor may differ in the last digit.
    rounded = (values.double() * 1e4).round().to(torch.int64).cpu().numpy()
    return hashlib.sha256(rounded.tobytes()).hexdigest()[:16]


class SoftmaxBias(nn.Module):
    """The bias of an output layer.

    A softmax without one has to store the frequencies of words in the vectors, or in
    the network that makes them, before it can learn anything else (for output layers
    of language models: Meister et al., 2023).

    Args:
        start: Initial values, ``(V)``, of :func:`log_frequencies`.
        trained: Whether they are trained. If not, nothing is stored but a description,
            by which a checkpoint is refused that was trained with other frequencies.
    """

    values: Tensor

    def __init__(self, start: Tensor, trained: bool) -> None:
        """Keep the values; see the class."""
        super().__init__()
        if trained:
            self.values = nn.Parameter(start.clone())
            return
        self.register_buffer("values", start.clone(), persistent=False)
        description = {"softmax_bias": "unigram", "frequencies": _digest(start)}
        store_integers(self, "description_version", encode(description))

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        # What is not trained keeps its precision when the model is cast to another.
        exact = None if isinstance(self.values, nn.Parameter) else self.values
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call] # torch's
        if exact is not None:
            self.values = exact.to(self.values.device)
        return self

    def forward(self, logits: Tensor) -> Tensor:
        """Add the bias to logits, ``(..., V)``."""
        return logits + self.values.to(logits.dtype)

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, *args: Any
    ) -> None:
        name = f"{prefix}description_version"
        mine = getattr(self, "description_version", None)
        theirs = state_dict.get(name)
        if mine is not None and theirs is not None and decode(theirs) != decode(mine):
            raise AloneError(
                "--softmax-bias unigram: the target dictionary has other counts than"
                " that of the training: give the data folder of the training"
            )
        super()._load_from_state_dict(state_dict, prefix, *args)


def make_bias(
    kind: str, counts: Sequence[int], eos: int, specials: int
) -> SoftmaxBias | None:
    """Make what ``--softmax-bias`` asks for.

    Args:
        kind: One of ``KINDS``.
        counts: How often each symbol of the target dictionary occurs.
        eos: Index of the end of a sentence.
        specials: Number of special symbols, which come first.

    Returns:
        The bias, if there is one. A trained one starts at 0 where the dictionary has no
        counts: then it must be learned, or it comes with the checkpoint.

    Raises:
        AloneError: If there is no such kind, or as :func:`log_frequencies` does.
    """
    if kind not in KINDS:
        raise AloneError(
            f"--softmax-bias must be one of {', '.join(KINDS)}, not '{kind}'"
        )
    if kind == "none":
        return None
    trained = kind == "trained"
    try:
        start = log_frequencies(counts, eos, specials)
    except AloneError:
        if not trained:
            raise
        start = torch.zeros(len(counts))
        logger.info("the dictionary has no counts: --softmax-bias trained starts at 0")
    return SoftmaxBias(start, trained)
