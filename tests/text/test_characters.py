"""Target characters: published form, and no line that does not come back."""

import argparse
import io
import re
import sys
import unicodedata
from types import SimpleNamespace

import pytest
from fairseq.data import Dictionary
from hypothesis import given, settings
from hypothesis import strategies as st

from alone_experiments.mistakes import Mistake
from alone_experiments.text import characters, line_filter
from alone_experiments.text.characters import from_characters, to_characters

PUBLISHED = {
    "at least": "a t @@@@ l e a s t",
    "prime min": "p r i m e @@@@ m i n",
    "": "",
}
# The parts that something on the way takes for more than text.
TRICKY = [
    "@@@@",
    "@@",
    "<unk>",
    "<s>",
    "</s>",
    "<pad>",
    "<U+00A0>",
    "<U+0041>",
    " ",
    "  ",
    "\t",
    "\r\n",
    "\0",
    "\u00a0",
    "\u2028",
    "\u0085",
    "e\u0301",
    "\ufeff",
    "\ud800",
    "\U0001f600",
    "madeupword0000",
    "#fairseq:overwrite",
]
# Two planes: the others have neither white space nor controls.
CODE_POINTS = range(0x20000)
LINES = st.lists(
    st.sampled_from(TRICKY) | st.text(st.characters(exclude_categories=()), max_size=8)
).map("".join)


@pytest.mark.parametrize(("text", "tokens"), PUBLISHED.items())
def test_the_published_form(text: str, tokens: str) -> None:
    assert to_characters(text) == tokens
    assert from_characters(tokens) == text


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        (" a  b ", "@@@@ a @@@@ @@@@ b @@@@"),
        ("a\tb\u00a0c\ufeff", "a <U+0009> b <U+00A0> c <U+FEFF>"),
        ("\ud83d\x00", "<U+D83D> <U+0000>"),
        ("@@@@ <unk>", "@ @ @ @ @@@@ < u n k >"),
        ("e\u0301\U0001f600", "e \u0301 \U0001f600"),
    ],
)
def test_what_is_escaped(text: str, tokens: str) -> None:
    assert to_characters(text) == tokens
    assert from_characters(tokens, strict=True) == text


def test_every_code_point_is_one_token_that_comes_back() -> None:
    everything = "".join(map(chr, CODE_POINTS))
    tokens = to_characters(everything).split(" ")
    assert len(tokens) == len(everything)
    assert from_characters(" ".join(tokens), strict=True) == everything


def test_no_token_has_what_a_reader_of_lines_or_words_splits_or_drops() -> None:
    splitting = re.compile(r"\s")
    for code in CODE_POINTS:
        character = chr(code)
        bad = (
            splitting.match(character)
            or character.isspace()
            or unicodedata.category(character) in ("Cc", "Cs", "Zs", "Zl", "Zp")
        )
        if bad and character != " ":
            assert re.match(f"[{characters.UNSAFE}]", character), hex(code)


@settings(max_examples=100, deadline=None)
@given(LINES)
def test_any_line_comes_back_through_fairseqs_dictionary(line: str) -> None:
    dictionary = Dictionary()
    tokens = to_characters(line)
    ids = dictionary.encode_line(tokens, add_if_not_exist=True)
    assert len(ids) == len(line) + 1
    assert dictionary.string(ids) == tokens
    assert from_characters(dictionary.string(ids), strict=True) == line


@settings(max_examples=60, deadline=None)
@given(LINES)
def test_a_dictionary_read_from_its_file_knows_every_token(line: str) -> None:
    dictionary, file = Dictionary(), io.StringIO(newline="\n")
    dictionary.encode_line(to_characters(line))
    dictionary.save(file)
    # A file cannot hold surrogates, which are escaped in it.
    read = Dictionary.load(io.StringIO(file.getvalue().encode().decode(), newline=None))
    assert read.symbols == dictionary.symbols


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("a <unk> b", "a<unk>b"),
        ("the@@ r e", "the@@re"),
        ("<U+110000> <U+00041> <U+000A0>", "<U+110000><U+00041><U+000A0>"),
    ],
)
def test_tokens_that_are_no_characters(tokens: str, text: str) -> None:
    assert from_characters(tokens) == text
    with pytest.raises(Mistake, match="is no character"):
        from_characters(tokens, strict=True)


def run(data: bytes, *flags: str) -> bytes:
    """The ``characters`` command, without a process of its own."""
    parser = argparse.ArgumentParser()
    characters.add_arguments(parser)
    out = io.BytesIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        patch.setattr(sys, "stdout", io.TextIOWrapper(out))
        characters.run(parser.parse_args(flags))
        return out.getvalue()


@settings(max_examples=60, deadline=None)
@given(st.lists(LINES), st.booleans())
def test_the_command_gives_the_same_bytes_back(lines: list[str], end: bool) -> None:
    text = "\n".join(line.replace("\n", "") for line in lines) + "\n" * end
    data = text.encode("utf-8", "ignore")
    encoded = run(data)
    assert encoded.count(b"\n") == data.count(b"\n")
    assert run(encoded, "--decode", "--strict") == data


@pytest.mark.parametrize(
    ("data", "flags", "message"),
    [
        (b"good\n\xff\n", [], r"line 2 is not UTF-8 text \(byte 1\)"),
        (b"a\n\n<U+D800>\n", ["--decode"], r"line 3: U\+D800 is a surrogate"),
        (b"<U+000A>", ["--decode"], "line 1: it would become two lines"),
        (b"a\nno text\n", ["--decode", "--strict"], "line 2: 'no' is no character"),
        (b"", ["--strict"], "--strict is for --decode"),
    ],
)
def test_mistakes_name_the_line(data: bytes, flags: list[str], message: str) -> None:
    with pytest.raises(Mistake, match=message) as raised:
        run(data, *flags)
    assert "\n" not in str(raised.value)


def test_lines_are_written_as_they_come() -> None:
    written = io.BytesIO()
    seen = []

    def source() -> object:
        for line in (b"a\n", b"b"):
            yield line
            seen.append(written.getvalue())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", SimpleNamespace(buffer=source()))
        patch.setattr(sys, "stdout", SimpleNamespace(buffer=written))
        line_filter.filter_lines(str.upper)
    assert seen == [b"A\n", b"A\nB"]
