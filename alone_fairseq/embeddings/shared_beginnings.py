"""Last states of an LSTM over words: what several words begin with is read once."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from .tables.slices import slices_by_size, table_in_slices

BITS_OF_A_KEY = 62
"""Bits of a beginning written as one integer."""

VALUES_OF_CHARACTER = 14
"""Values that a character takes on the way in one direction, as a multiple of the
state's: its gates before and after their functions, both states and those before."""


def last_states(
    spelled: Tensor,
    first: Tensor,
    lengths: Tensor,
    step: int,
    into_gates: Tensor,
    on_gates: Tensor,
) -> Tensor:
    """Read words from one end; see the module.

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
    state = into_gates.new_zeros((1, on_gates.size(1)))
    cell = state
    node = torch.zeros_like(first)
    ended = [state[:0]]
    for place in range(len(counts) - 2):
        there = counts[place + 1]
        character = spelled[first[:there] + step * place]
        # A beginning is the one before it and a character.
        beginnings, node = torch.unique(
            node[:there] * characters + character, return_inverse=True
        )
        before = beginnings // characters
        gates = torch.addmm(
            F.embedding(beginnings % characters, into_gates),
            F.embedding(before, state),
            on_gates.t(),
        )
        enter, forget, new, out = gates.chunk(4, dim=1)
        kept = torch.sigmoid(forget) * F.embedding(before, cell)
        cell = kept + torch.sigmoid(enter) * torch.tanh(new)
        state = torch.sigmoid(out) * torch.tanh(cell)
        ended.append(F.embedding(node[counts[place + 2] :], state))
    return torch.cat(ended[::-1])[order.argsort()]


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
        not in a beginning that it shares with the one before.
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
    new = lengths[order]
    for place, each in enumerate(keys):
        ordered = each[order]
        same = (ordered[1:] == ordered[:-1]) & (place < lengths[order][1:])
        new[1:] -= same.long()
    return order, new


def last_states_in_slices(
    spelled: Tensor,
    first: Tensor,
    lengths: Tensor,
    step: int,
    into_gates: Tensor,
    on_gates: Tensor,
) -> Tensor:
    """Read words as :func:`last_states` does, in bounded memory."""
    order, new = by_beginnings(spelled, first, lengths, step, len(into_gates))
    slices = slices_by_size(order, new * VALUES_OF_CHARACTER * on_gates.size(1))

    def read(words: Tensor) -> Tensor:
        begin, length = first[words], lengths[words]
        return last_states(spelled, begin, length, step, into_gates, on_gates)

    weights = (into_gates, on_gates)
    states = table_in_slices(read, slices, weights, keep=len(slices) == 1)
    return states[order.argsort()]
