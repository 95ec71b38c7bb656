"""Last states of an LSTM over spelled words: beginnings read once, or words packed."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence

from .tables.slices import slices_by_size, table_in_slices

if TYPE_CHECKING:

    class LSTM(nn.LSTM):
        """torch's, with the types of its weights, which TorchScript need not know."""

        weight_ih_l0: Tensor
        weight_hh_l0: Tensor
        bias_ih_l0: Tensor
        bias_hh_l0: Tensor
        weight_ih_l0_reverse: Tensor
        weight_hh_l0_reverse: Tensor
        bias_ih_l0_reverse: Tensor
        bias_hh_l0_reverse: Tensor

else:
    LSTM = nn.LSTM

BITS_OF_A_KEY = 62
"""Bits of a beginning written as one integer."""

VALUES_OF_BEGINNING = 14
"""Values that a beginning takes on the way, as a multiple of its state's: gates before
and after their functions, both states, those before, and what is made of them. Enough
for a packed character in both directions, too, of which torch keeps less."""


def last_states(
    spelled: Tensor,
    first: Tensor,
    lengths: Tensor,
    step: int,
    into_gates: Tensor,
    on_gates: Tensor,
) -> Tensor:
    """Read words from one end, a beginning that several have once.

    The beginnings of all words are a tree, read level by level: a state follows from
    that of the beginning without its last character. What a character adds to the gates
    is the same wherever it stands, and comes ready.

    Args:
        spelled: Rows of characters, int64.
        first: Where among them each word's reading begins, int64, ``(N)``.
        lengths: Characters of each word, at least one, int64, ``(N)``.
        step: 1 to read on from there, -1 to read back.
        into_gates: What each character adds to the gates, biases included,
            ``(|C|, 4d)``, in torch's order: input, forget, cell, output.
        on_gates: What a state adds to them, ``(4d, d)``.

    Returns:
        States after the last character, ``(N, d)``.
    """
    order = lengths.argsort(descending=True)
    first = first[order]
    # Words of at least so many characters; one more than the longest has none.
    counts: list[int] = (
        torch.bincount(lengths, minlength=1).flip(0).cumsum(0).flip(0).tolist()
    )
    counts.append(0)
    characters = into_gates.size(0)
    node = torch.zeros_like(first)
    beginnings = [node[:0]]
    ends = [node[:0]]
    for place in range(len(counts) - 2):
        longer = counts[place + 1]
        character = spelled[first[:longer] + step * place]
        # A beginning is the one before it and a character.
        found, node = torch.unique(
            node[:longer] * characters + character, return_inverse=True
        )
        beginnings.append(found)
        ends.append(node[counts[place + 2] :])
    # At once, or their gradient would have a row of each character at every level.
    into = F.embedding(torch.cat(beginnings) % characters, into_gates)
    # Split, as the gradient of each slice would be as large as the whole.
    parts = into.split([len(found) for found in beginnings[1:]])
    state = into_gates.new_zeros((1, on_gates.size(1)))
    cell = state
    ended = [state[:0]]
    for part, found, end in zip(  # noqa: B905 (TorchScript)
        parts, beginnings[1:], ends[1:]
    ):
        before = found // characters
        gates = torch.addmm(part, F.embedding(before, state), on_gates.t())
        enter, forget, new, out = gates.chunk(4, dim=1)
        kept = torch.sigmoid(forget) * F.embedding(before, cell)
        cell = kept + torch.sigmoid(enter) * torch.tanh(new)
        state = torch.sigmoid(out) * torch.tanh(cell)
        ended.append(F.embedding(end, state))
    return torch.cat(ended[::-1])[order.argsort()]


def packed_states(
    lstm: nn.LSTM, vectors: Tensor, spelled: Tensor, first: Tensor, lengths: Tensor
) -> Tensor:
    """Read words of all lengths in one call of torch's LSTM.

    Args:
        lstm: A bidirectional LSTM of one layer.
        vectors: Those of the characters, ``(|C|, d)``.
        spelled: As for :func:`last_states`, as are the next two.
        first: Where each word begins, int64, ``(N)``, at least one.
        lengths: Characters of each word.

    Returns:
        Last states forwards and backwards, ``(N, 2d)``.
    """
    order = lengths.argsort(descending=True)
    # Words of at least 1, 2, ... characters: torch reads all first characters first.
    # Not padded, or one long word would take as much as so many of them.
    counts = torch.bincount(lengths).flip(0).cumsum(0).flip(0)[1:]
    places = torch.arange(len(counts), device=first.device)
    places = torch.repeat_interleave(places, counts)
    words = torch.arange(len(places), device=first.device)
    words -= torch.repeat_interleave(counts.cumsum(0) - counts, counts)
    read = F.embedding(spelled[first[order][words] + places], vectors)
    _, (last, _) = lstm(PackedSequence(read, counts.cpu(), order, order.argsort()))
    return torch.cat([last[0], last[1]], dim=1)


def by_beginnings(
    spelled: Tensor, first: Tensor, lengths: Tensor, step: int, characters: int
) -> tuple[Tensor, Tensor]:
    """Put words with the same beginning side by side.

    Args:
        spelled: As for :func:`last_states`, as are the next three.
        first: Where each word's reading begins.
        lengths: Characters of each word.
        step: The direction of reading.
        characters: Number of characters, |C|.

    Returns:
        An order of the words, int64, ``(N)``, by as many first characters as one
        integer holds; and of each word, in this order, how many of its characters are
        not in a beginning that it is seen to share with the one before.
    """
    key = torch.zeros_like(first)
    keys = []
    bits = math.log2(characters + 2)
    for place in range(int(BITS_OF_A_KEY / bits)):
        there = place < lengths
        character = spelled[torch.where(there, first + step * place, first)]
        key = key * (characters + 1) + torch.where(there, character + 1, 0)
        keys.append(key)
    order = key.argsort()
    own = lengths[order]
    for place, each in enumerate(keys):
        ordered = each[order]
        same = (ordered[1:] == ordered[:-1]) & (place < lengths[order][1:])
        own[1:] -= same.long()
    return order, own


def in_slices(
    read: Callable[[Tensor], Tensor],
    order: Tensor,
    own: Tensor,
    state: int,
    weights: tuple[Tensor, ...],
) -> Tensor:
    """Read words that lie side by side together, in bounded memory beside the result.

    Args:
        read: Gives what is wanted of words, ``(N, D)``.
        order: The words, side by side as :func:`by_beginnings` puts them, int64.
        own: How many characters of each are to be read, int64.
        state: Size of a state, d.
        weights: All that ``read`` reads and that may need a gradient.

    Returns:
        What is wanted of all words, in their own order, ``(V, D)``.
    """
    slices = slices_by_size(order, own * VALUES_OF_BEGINNING * state)
    found = table_in_slices(read, slices, weights, keep=len(slices) == 1)
    return found[order.argsort()]
