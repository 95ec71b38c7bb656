"""Vectors from spellings: the formula, sizes, unseen words, marks, odd words."""

from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from alone_fairseq.embeddings import TableSize, build, characters
from alone_fairseq.embeddings.characters import CharactersEmbedding
from alone_fairseq.embeddings.spelled_states import (
    VALUES_OF_BEGINNING,
    by_beginnings,
    last_states,
)
from alone_fairseq.embeddings.spellings import Spellings, characters_of
from alone_fairseq.embeddings.tables import slices
from alone_fairseq.errors import AloneError

WORDS = ["<s>", "<pad>", "</s>", "<unk>", "a", "ab@@", "ab", "bab", "cabba", "abc"]
V, D, PAD = len(WORDS), 6, 1


def make(words: list[str] = WORDS, **options: Any) -> CharactersEmbedding:
    torch.manual_seed(0)
    given = {f"characters_{name}": value for name, value in options.items()}
    return CharactersEmbedding(len(words), D, PAD, words, **given)


def last_state(embedding: CharactersEmbedding, read: Tensor, end: str) -> Tensor:
    """An LSTM by its equations, character by character, with one bias a gate."""
    lstm = embedding.lstm
    into, on, bias = (
        getattr(lstm, f"{name}_l0{end}").double()
        for name in ("weight_ih", "weight_hh", "bias_ih")
    )
    state = cell = torch.zeros(on.size(1), dtype=torch.float64)
    for value in read.flip(0) if end else read:
        enter, forget, new, out = (into @ value + on @ state + bias).chunk(4)
        cell = torch.sigmoid(forget) * cell + torch.sigmoid(enter) * torch.tanh(new)
        state = torch.sigmoid(out) * torch.tanh(cell)
    return state


def by_hand(embedding: CharactersEmbedding, words: list[str]) -> Tensor:
    """The vectors of words, in double precision."""
    found = []
    assert embedding.spellings is not None
    rows, vectors = embedding.spellings.rows, embedding.characters.double()
    matrix, bias = (p.double() for p in embedding.projection.parameters())
    for word in words:
        read = vectors[[rows.get(char, 0) for char in characters_of(word)]]
        both = [last_state(embedding, read, end) for end in ("", "_reverse")]
        linear = matrix @ torch.cat(both) + bias
        made = linear.clamp(min=0)
        if embedding.highway is not None:
            gate, start = (p.double() for p in embedding.highway.parameters())
            share = torch.sigmoid(gate @ made + start)
            made = share * made + (1 - share) * linear
        found.append(made)
    return torch.stack(found)


@pytest.mark.parametrize("options", [{}, {"dim": 4, "highway": True}])
def test_values_and_gradients_are_those_of_the_formula(options: dict[str, Any]) -> None:
    embedding = make(**options)
    weights = torch.randn(V, D)
    mine, table = embedding.table(), by_hand(embedding, WORDS)
    torch.testing.assert_close(mine.double(), table, atol=1e-6, rtol=1e-5)
    trained = [p for p in embedding.parameters() if p.requires_grad]
    slopes = [torch.autograd.grad((t * weights).sum(), trained) for t in (mine, table)]
    torch.testing.assert_close(*slopes, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("highway", [False, True])
def test_words_are_read_alike_on_all_devices(
    highway: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A CPU reads long words as a GPU does all, others by shared beginnings."""
    embedding, weights = make(highway=highway), torch.randn(V, D)
    trained = [p for p in embedding.parameters() if p.requires_grad]
    found = []
    for longest in (0, 3, 64):
        monkeypatch.setattr(characters, "LONGEST_READ_ONCE", longest)
        vectors = embedding.rows(torch.arange(V))
        slopes = torch.autograd.grad((vectors * weights).sum(), trained)
        found.append((vectors, *slopes))
    torch.testing.assert_close(found[1], found[0], atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(found[2], found[0], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(("highway", "values"), [(False, 190_200), (True, 200_300)])
def test_sizes_of_the_paper(highway: bool, values: int) -> None:
    """|C| = 93 and d = d_c = 100, whatever the vocabulary."""
    words = [chr(ord("!") + n) for n in range(92)]
    made = CharactersEmbedding(
        *(92, 100, None, words), characters_min_count=1, characters_highway=highway
    )
    assert made.characters.size(0) == 93
    assert made.footprint().trained_values == values
    with torch.device("meta"):  # where only a size is wanted, without any word
        counted = build(
            "characters", Namespace(characters_highway=highway), TableSize(7000, 100)
        )
    assert counted.footprint().trained_values == values


def test_unseen_words_have_vectors_by_the_same_rule() -> None:
    embedding = make()
    words = ["baba", "ab", "cab@@", "xyz"]
    found = embedding.vectors_of(words)
    expected = by_hand(embedding, words)
    torch.testing.assert_close(found.double(), expected, atol=1e-6, rtol=1e-5)
    torch.testing.assert_close(found[1], embedding.table()[WORDS.index("ab")])
    assert embedding.vectors_of([]).shape == (0, D)


def test_characters_of_too_few_words_are_one() -> None:
    embedding = make([*WORDS, "q", "z", "é"])
    # One at a time: a product may add up its rows in different orders.
    words = ("q", "z", "é", "Ω", "\u0301")
    first, *others = (embedding.vectors_of([word]) for word in words)
    for other in others:
        assert torch.equal(first, other)
    kept = make([*WORDS, "q", "z", "é"], min_count=1)
    assert not torch.allclose(*kept.vectors_of(["q", "z"]))


def test_marks_of_subword_units() -> None:
    assert characters_of("in@@") == ["i", "n", "@@"]
    assert characters_of("@@") == ["@@"]
    assert characters_of("▁in") == ["▁", "i", "n"]
    assert characters_of("</s>") == ["</s>"]
    assert characters_of("<b>") == ["<", "b", ">"]
    unit, word = make().vectors_of(["ab@@", "ab"])
    assert not torch.allclose(unit, word)


def test_scripts_and_marks_are_read_as_they_are_written() -> None:
    words = ["שלום", "مرحبا", "café", "cafe\u0301", "👩\u200d👩", "ไทย"]
    embedding = make([*WORDS, *words, *(word * 2 for word in words)])
    found = embedding.vectors_of(words)
    expected = by_hand(embedding, words)
    torch.testing.assert_close(found.double(), expected, atol=1e-6, rtol=1e-5)
    assert not torch.equal(found[2], found[3])  # composed or not: other code points


def test_a_word_of_ten_thousand_characters() -> None:
    long = "ab" * 5000
    embedding = make([*WORDS, long, "b"])
    with torch.no_grad():
        table = embedding.table()
        expected = by_hand(embedding, [long, "b"])
    torch.testing.assert_close(table[-2:].double(), expected, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("words", [[*WORDS, ""], ["", *WORDS]])
def test_an_empty_word_is_told_of(words: list[str]) -> None:
    with pytest.raises(
        AloneError, match=rf"word {words.index('') + 1} .*empty.*remove"
    ):
        make(words)


def test_missing_spellings_are_told_of() -> None:
    with pytest.raises(AloneError, match="no words were given: name those"):
        CharactersEmbedding(V, D, PAD)


def test_a_state_of_other_words_is_refused() -> None:
    state = make().state_dict()
    other = [*WORDS[:-1], "cba"]
    with pytest.raises(AloneError, match=r"checksum=.*the dictionary of the training"):
        make(other).load_state_dict(state)
    with pytest.raises(AloneError, match="--characters-dim=6"):
        make(dim=5).load_state_dict(state)
    with pytest.raises(AloneError, match="no --characters-highway"):
        make(highway=True).load_state_dict(state)


def test_other_methods_know_their_words_only() -> None:
    lookup = build("lookup", Namespace(), TableSize(V, D, PAD, WORDS))
    with pytest.raises(AloneError, match="its vocabulary: none such as 'tree'"):
        lookup.vectors_of(["tree"])


@pytest.mark.parametrize("at_a_time", [1, 500, 10**6])
def test_slices_of_the_table_change_nothing(
    at_a_time: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedding, weights = make(), torch.randn(V, D)
    expected = embedding.rows(torch.arange(V))
    monkeypatch.setattr(slices, "VALUES_AT_A_TIME", at_a_time)
    table = embedding.table()
    torch.testing.assert_close(table, expected)
    trained = [p for p in embedding.parameters() if p.requires_grad]
    slopes = [
        torch.autograd.grad((t * weights).sum(), trained) for t in (table, expected)
    ]
    torch.testing.assert_close(*slopes, atol=1e-5, rtol=1e-4)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=20), st.integers(1, 60))
def test_slices_have_as_much_as_they_may(values: list[int], most: int) -> None:
    before = slices.VALUES_AT_A_TIME
    slices.VALUES_AT_A_TIME = most
    try:
        parts = slices.slices_by_size(torch.arange(len(values)), torch.tensor(values))
    finally:
        slices.VALUES_AT_A_TIME = before
    assert torch.cat(parts).tolist() == list(range(len(values)))
    assert all(sum(values[i] for i in part[1:]) <= most for part in parts)


@settings(deadline=None)
@given(st.lists(st.text(min_size=1), min_size=1, max_size=6))
def test_any_words_are_spelled(words: list[str]) -> None:
    spellings = Spellings(words, 1)
    spelled, starts = spellings.encode(words)
    chars = {row: char for char, row in spellings.rows.items()}
    for number, word in enumerate(words):
        own = spelled[starts[number] : starts[number + 1]].tolist()
        assert "".join(chars[row] for row in own) == word
    assert len(spellings.checksum(words)) == 16


def test_spellings_are_not_in_the_file(tmp_path: Path) -> None:
    """They come with the dictionary."""
    embedding = make(["word" * n for n in range(1, 60)])
    torch.save(embedding.state_dict(), tmp_path / "a.pt")
    assert (tmp_path / "a.pt").stat().st_size < 12_000


def test_long_words_are_read_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    embedding = make()
    words = [letter * length for letter in "abc" for length in (300, 2, 200)]
    expected = embedding.vectors_of(words)
    expected.sum().backward()
    known = embedding.characters.grad
    embedding.zero_grad()
    read: list[int] = []
    embedding.lstm.register_forward_hook(
        lambda _, given, __: read.append(len(given[0].data))
    )
    monkeypatch.setattr(slices, "VALUES_AT_A_TIME", 400 * 14 * D)
    found = embedding.vectors_of(words)
    assert max(read) <= 600  # all three of 300 characters would be 900
    torch.testing.assert_close(found, expected)
    found.sum().backward()
    torch.testing.assert_close(embedding.characters.grad, known)


def test_beginnings_are_read_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    embedding = make()
    words = [letter * length for letter in "abc" for length in (50, 2, 20, 30)] * 2
    expected = embedding.vectors_of(words)
    expected.sum().backward()
    known = embedding.characters.grad
    embedding.zero_grad()
    read: list[int] = []

    def watched(spelled: Tensor, first: Tensor, lengths: Tensor, *rest: Any) -> Tensor:
        beginnings = {
            tuple(spelled[start + rest[0] * torch.arange(n + 1)].tolist())
            for start, length in zip(first.tolist(), lengths.tolist(), strict=True)
            for n in range(length)
        }
        read.append(len(beginnings))
        return last_states(spelled, first, lengths, *rest)

    monkeypatch.setattr(characters, "last_states", watched)
    monkeypatch.setattr(slices, "VALUES_AT_A_TIME", 40 * VALUES_OF_BEGINNING * D)
    found = embedding.vectors_of(words)
    assert max(read) <= 40 + 50  # as much as a slice may have beside its first word
    torch.testing.assert_close(found, expected)
    found.sum().backward()
    torch.testing.assert_close(embedding.characters.grad, known)


def test_no_word_and_the_same_word_twice() -> None:
    embedding = make()
    assert embedding.vectors_of([]).shape == (0, D)
    once, again, other = embedding.vectors_of(["cab", "cab", "bac"])
    torch.testing.assert_close(once, again)
    assert not torch.allclose(once, other)


@settings(deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=40), min_size=1),
    st.integers(4, 2**30),
)
def test_beginnings_longer_than_a_key(words: list[list[int]], known: int) -> None:
    """With many characters a key holds few: no more is taken for shared than is."""
    spelled = torch.tensor([known - 1 - row for word in words for row in word])
    lengths = torch.tensor([*map(len, words)])
    order, own = by_beginnings(spelled, lengths.cumsum(0) - lengths, lengths, 1, known)
    assert sorted(order.tolist()) == [*range(len(words))]
    before: list[int] = []
    for place, count in zip(order.tolist(), own.tolist(), strict=True):
        word = words[place]
        shared = len(word) - count
        assert shared >= 0
        assert word[:shared] == before[:shared]
        before = word


@settings(deadline=None)
@given(st.lists(st.text("abc", min_size=1, max_size=12), min_size=1, max_size=30))
def test_beginnings_are_counted_once(words: list[str]) -> None:
    spelled, starts = Spellings(words, 1).encode(words)
    order, new = by_beginnings(spelled, starts[:-1], starts.diff(), 1, 4)
    assert sorted(order.tolist()) == [*range(len(words))]
    assert new.sum() == len(
        {word[:n] for word in words for n in range(1, len(word) + 1)}
    )
    back, new = by_beginnings(spelled, starts[1:] - 1, starts.diff(), -1, 4)
    assert sorted(back.tolist()) == [*range(len(words))]
    assert new.sum() == len({word[n:] for word in words for n in range(len(word))})
