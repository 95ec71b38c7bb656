"""A part-of-speech tagger: a BiLSTM over word vectors, and a softmax at each word."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from alone_fairseq.embeddings import CompactEmbedding

UNKNOWN = 0
"""Row of a table of words for those that it has not."""


class Tagger(nn.Module):
    """Scores the tags of each word of sentences.

    Stratos (2017), section 5.2: a word's vector is that of a table of words, where
    there is one, and that of its spelling; a BiLSTM reads them; a layer with a ReLU and
    a linear one score the tags, each word by itself.

    Args:
        spelled: Gives words vectors by their spelling.
        table: Gives words vectors by their row, if it shall.
        words: The words of the table's rows, from row 1 on.
        rare: Words that training takes for unknown ones half of the time, so that the
            row for these is trained (Lample et al., 2016).
        tags: Number of tags.
        hidden: Size of the BiLSTM's states in each direction, and of the layer.
        dropout: Of what the BiLSTM reads and gives.
        any_case: Those words of the table in which a word that is in no row is looked
            for in any case: those of given vectors, which may all be in lower case.
    """

    def __init__(
        self,
        spelled: CompactEmbedding,
        table: CompactEmbedding | None,
        words: Sequence[str],
        rare: Collection[str],
        tags: int,
        hidden: int,
        dropout: float,
        any_case: Sequence[str] = (),
    ) -> None:
        """Draw all but the embeddings; see the class."""
        super().__init__()
        self.spelled, self.table, self.rare = spelled, table, {*rare}
        self.known = {word: row for row, word in enumerate(words, UNKNOWN + 1)}
        self.folded: dict[str, int] = {}
        for word in any_case:
            self.folded.setdefault(word.lower(), self.known[word])
        dim = spelled.embedding_dim + (table.embedding_dim if table else 0)
        self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Sequential(
            nn.Linear(2 * hidden, hidden), nn.ReLU(), nn.Linear(hidden, tags)
        )

    def forward(self, sentences: Sequence[Sequence[str]]) -> Tensor:
        """Score tags.

        Args:
            sentences: Words of ``B`` sentences, none of them empty.

        Returns:
            Logits of the tags of all words, one sentence after the other,
            ``(N, tags)``.
        """
        vectors = self.vectors([*chain.from_iterable(sentences)])
        counts = torch.tensor([len(sentence) for sentence in sentences])
        there = torch.arange(int(counts.max())) < counts.unsqueeze(1)
        there = there.to(vectors.device)
        # Not with pad_sequence, which copies all sentences' gradient for each of them.
        padded = vectors.new_zeros((*there.shape, vectors.size(1)))
        padded[there] = vectors
        packed = pack_padded_sequence(
            self.dropout(padded), counts, batch_first=True, enforce_sorted=False
        )
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        logits: Tensor = self.output(self.dropout(states[there]))
        return logits

    def row_of(self, word: str) -> int:
        """Find the row of a word in the table of words."""
        row = self.known.get(word)
        return self.folded.get(word.lower(), UNKNOWN) if row is None else row

    def vectors(self, words: Sequence[str]) -> Tensor:
        """Give the vectors of words; each different word is spelled once.

        Args:
            words: ``N`` words.

        Returns:
            ``(N, D)``, of the table first.
        """
        different = {word: place for place, word in enumerate(dict.fromkeys(words))}
        places = torch.tensor([different[word] for word in words])
        spelled = self.spelled.vectors_of([*different])
        found = F.embedding(places.to(spelled.device), spelled)
        if self.table is None:
            return found
        rows = torch.tensor([self.row_of(word) for word in words])
        if self.training:
            rare = torch.tensor([word in self.rare for word in words])
            rows[rare & (torch.rand(len(words)) < 0.5)] = UNKNOWN
        return torch.cat([self.table(rows.to(found.device)), found], dim=1)
