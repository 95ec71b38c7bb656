"""One LSTM over fixed word vectors: Shu and Nakayama (2018), section 5.3."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from alone_experiments.sentiment.reviews import Encoded

LABELS = 2


class Classifier(nn.Module):
    """An LSTM whose last state a softmax layer reads.

    The forget gate's bias starts at 1, as in TensorFlow's cell, which the authors had;
    other weights start as PyTorch's.

    Args:
        dim: Size ``D`` of a word vector.
        hidden: Units of the LSTM.
        seed: Seed of the initial weights.
    """

    def __init__(self, dim: int, hidden: int, seed: int) -> None:
        """Draw the weights."""
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.lstm = nn.LSTM(dim, hidden)
            self.output = nn.Linear(hidden, LABELS)
        named, gate = dict(self.lstm.named_parameters()), slice(hidden, 2 * hidden)
        with torch.no_grad():  # PyTorch adds two biases
            named["bias_ih_l0"][gate] = 1
            named["bias_hh_l0"][gate] = 0

    def forward(self, words: Tensor, lengths: Tensor, table: Tensor) -> Tensor:
        """Score the labels of reviews.

        Args:
            words: Rows of the table, ``(T, B)``; what follows a review's end is not
                looked at.
            lengths: Words of each review, ``(B,)``, 1 to ``T``.
            table: Word vectors, ``(V + 1, D)``.

        Returns:
            Logits, ``(B, 2)``.
        """
        # Not a PackedSequence, whose way back takes twice the time at 400 words.
        states, _ = self.lstm(table[words])
        logits: Tensor = self.output(states[lengths - 1, torch.arange(len(lengths))])
        return logits


class Batch(NamedTuple):
    """Reviews for a :class:`Classifier`.

    Attributes:
        words: Rows of the table, ``(T, B)``, the first one after a review's end.
        lengths: Words of each review, ``(B,)``.
        labels: 1 or 0, ``(B,)``.
    """

    words: Tensor
    lengths: Tensor
    labels: Tensor


def batch_of(reviews: Encoded, device: torch.device) -> Batch:
    """Put reviews side by side."""
    rows = [torch.from_numpy(own) for own in reviews.rows]
    lengths = torch.tensor([len(own) for own in rows])
    labels = torch.from_numpy(reviews.labels)
    return Batch(*(part.to(device) for part in (pad_sequence(rows), lengths, labels)))
