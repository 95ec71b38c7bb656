"""One LSTM over fixed word vectors: Shu and Nakayama (2018), section 5.3."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pack_sequence

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

    def forward(self, words: PackedSequence, table: Tensor) -> Tensor:
        """Score the labels of reviews.

        Args:
            words: Rows of the table, packed: those of ``B`` reviews.
            table: Word vectors, ``(V + 1, D)``.

        Returns:
            Logits, ``(B, 2)``, in the order of the reviews.
        """
        vectors = words._replace(data=table[words.data])
        _, (last, _) = self.lstm(vectors)
        logits: Tensor = self.output(last[0])
        return logits


def pack(reviews: Encoded, device: torch.device) -> tuple[PackedSequence, Tensor]:
    """Make a batch: the rows of all words, packed, and the labels ``(B,)``."""
    rows = [torch.from_numpy(own) for own in reviews.rows]
    packed = pack_sequence(rows, enforce_sorted=False)
    packed = packed._replace(data=packed.data.to(device))
    return packed, torch.from_numpy(reviews.labels).to(device)
