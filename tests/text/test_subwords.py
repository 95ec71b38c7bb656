"""Source subword units: no line that does not come back."""

import io
from pathlib import Path

import pytest
from fairseq.data import Dictionary
from hypothesis import given, settings
from hypothesis import strategies as st
from subword_nmt.learn_bpe import learn_bpe

from alone_experiments.mistakes import Mistake
from alone_experiments.text.subwords import Subwords, join, protect, restore

TRICKY = [
    "@@",
    "@",
    "a@@",
    "<U+00A0>",
    "<U+003C>",
    "<U+",
    "0041>",
    "<s>",
    "x</s>",
    "<pad>",
    "</w>",
    " ",
    "   ",
    "\t",
    "\u00a0",
    "\u2028",
    "\r",
    "\ud800",
    "e\u0301",
    "the",
    "low",
    "er",
]
LINES = st.lists(
    st.sampled_from(TRICKY) | st.text(st.characters(exclude_categories=()), max_size=6)
).map("".join)
# A corpus with the troublesome parts in it, so that they are merged to units.
CORPUS = """the lower the lowest newer a@@ b@@ @@ @@ @@@@ <s> <s> x<s> </s> </s> x</s>
the lower <pad> <pad> x<pad> </w> </w> </w> <U+00A0> <U+00A0> a<U+00A0>b a<U+00A0>b
"""


@pytest.fixture(scope="module")
def codes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("codes") / "codes"
    with path.open("w", encoding="utf-8") as file:
        learn_bpe(io.StringIO(CORPUS * 3), file, 60)
    return path


@pytest.fixture(scope="module")
def subwords(codes: Path) -> Subwords:
    return Subwords(codes)


@settings(max_examples=120, deadline=None)
@given(line=LINES)
def test_any_line_comes_back_through_subword_nmt_and_fairseq(
    subwords: Subwords, line: str
) -> None:
    units = subwords.split(line)
    assert join(units) == line
    dictionary = Dictionary()
    ids = dictionary.encode_line(units)
    assert join(dictionary.string(ids)) == line
    assert not {dictionary.bos(), dictionary.pad()} & set(ids.tolist())
    assert ids.tolist().count(dictionary.eos()) == 1


def test_the_troublesome_parts_are_units_of_this_test(subwords: Subwords) -> None:
    # Otherwise nothing here would show that they are protected.
    segment = subwords._bpe.segment
    assert segment("<s> </s> <pad>") == "<s> </s> <pad>"
    assert segment("@@ b") == "@@ b"


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("the u.s. <unk> , a @ b @-@ c", "the u.s. <unk> , a @ b @-@ c"),
        (" a  b ", "<U+0020>a <U+0020>b<U+0020>"),
        ("   ", "<U+0020><U+0020><U+0020>"),
        ("a@@ @@@ @@b", "a@<U+0040> @@<U+0040> @@b"),
        ("x<s> <pad>y", "x<U+003C>s> <pad>y"),
        ("<U+003C>U+0041>", "<U+003C>U+003C>U+0041>"),
        ("a\tb", "a<U+0009>b"),
    ],
)
def test_what_is_protected(text: str, safe: str) -> None:
    assert protect(text) == safe
    assert restore(safe) == text


def test_ordinary_text_is_split_as_subword_nmt_does(subwords: Subwords) -> None:
    assert subwords.split("the lowest") == subwords._bpe.process_line("the lowest")


def test_cache_of_words_is_bounded(
    subwords: Subwords, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("alone_experiments.text.subwords._CACHED_WORDS", 10)
    for number in range(50):
        assert join(subwords.split(f"word{number}")) == f"word{number}"
        assert len(subwords._bpe.cache) <= 12


@pytest.mark.parametrize(
    "content", [b"a b c\n", b"\xff\n", b"one\n", b"", b"#version: 0.2.2\na b\n"]
)
def test_files_that_hold_no_merges(
    tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "codes").write_bytes(content)
    with pytest.raises(Mistake, match="codes holds no byte-pair merges"):
        Subwords(tmp_path / "codes")
    assert capsys.readouterr().err == ""


def test_missing_file_of_merges() -> None:
    with pytest.raises(Mistake, match="cannot read /nowhere"):
        Subwords("/nowhere")
