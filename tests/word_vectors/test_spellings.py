"""How dictionaries of subword units write a word."""

from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
from fairseq.data import Dictionary
from hypothesis import given
from hypothesis import strategies as st

from alone_experiments.mistakes import Mistake
from alone_experiments.word_vectors import neighbours
from alone_experiments.word_vectors.spellings import other_case, spell
from alone_fairseq.embeddings import LookupEmbedding

BPE = {"un@@", "known", "kn@@", "own", "u@@", "n@@", "the", "The@@"}
PIECES = {"▁un", "known", "▁", "▁the", "u", "n"}


@pytest.mark.parametrize(
    ("word", "known", "units"),
    [
        ("the", BPE, ["the"]),
        ("un@@", BPE, ["un@@"]),
        ("unknown", BPE, ["un@@", "known"]),
        ("unkn", BPE, []),
        ("the", PIECES, ["▁the"]),
        ("unknown", PIECES, ["▁un", "known"]),
        ("known", PIECES, ["known"]),
        ("nun", PIECES, ["▁", "n", "u", "n"]),
        ("knowns", PIECES, []),
        ("x", BPE, []),
    ],
)
def test_units_of_a_word(word: str, known: set[str], units: list[str]) -> None:
    assert spell(word, known) == units


def test_another_case_is_found() -> None:
    assert other_case("THE", BPE) == ["the"]
    assert other_case("Unknown", BPE) == ["un@@", "known"]
    assert other_case("x", BPE) == []


TEXT = st.text("abc", min_size=1, max_size=7)


@given(word=TEXT, ends=st.sets(TEXT), middles=st.sets(TEXT))
def test_units_make_the_word_and_are_the_fewest(
    word: str, ends: set[str], middles: set[str]
) -> None:
    known = ends | {f"{piece}@@" for piece in middles}
    units = spell(word, known)
    assert set(units) <= known

    def fewest(rest: str) -> float:
        """Try all ways."""
        more = [
            1 + fewest(rest[len(m) :])
            for m in middles
            if rest.startswith(m) and rest != m
        ]
        return min([*more, 1.0 if rest in ends else float("inf")])

    if units:
        assert "".join(unit.removesuffix("@@") for unit in units) == word
        assert len(units) == fewest(word)
    else:
        assert fewest(word) == float("inf")


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that asks for neighbours in a small dictionary."""
    dictionary = Dictionary()
    for entry in ("un@@", "known", "the", "of", "and"):
        dictionary.add_symbol(entry)
    embedding = LookupEmbedding(len(dictionary), 4)
    loaded = (embedding, dictionary)
    monkeypatch.setattr(neighbours, "load_embedding", lambda *_: loaded)

    def run(*words: str) -> None:
        given = {"checkpoint": Path("a.pt"), "data": Path("bin"), "side": "source"}
        neighbours.run(Namespace(**given, words=list(words), count=2))

    return run


def test_unknown_words_are_named_and_the_others_answered(
    ask: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    ask("unknown", "the", "OF", "xyz")
    said = capsys.readouterr()
    (line,) = said.out.splitlines()
    assert line.startswith("the: ")
    assert len(line.split()) == 5
    assert said.err.splitlines() == [
        "==> unknown: is no entry; the dictionary writes it as un@@ known",
        "==> OF: is no entry, nor are pieces of it; there is of",
        "==> xyz: is no entry, and cannot be made of entries",
    ]


def test_no_word_that_can_be_answered(ask: Any) -> None:
    with pytest.raises(Mistake, match="none of these words is an entry of the source"):
        ask("unknown", "xyz")
