"""Reading and writing files of word vectors."""

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from alone_experiments.mistakes import Mistake
from alone_experiments.word_vectors.vectors import FORMATS, VectorFile, write_word2vec
from alone_experiments.word_vectors.word_vectors import WordVectors

WORDS = ["the", "Käse", ". . .", "new\u00a0york", "1"]
VALUES = np.array([[0.5, -1], [1e-30, 3], [0.1, 0.2], [7, 8], [9, 1e30]], np.float32)

same_file = settings(
    max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def text_of(words: list[str], values: np.ndarray, header: bool) -> bytes:
    lines = [f"{len(words)} {values.shape[1]}"] if header else []
    for word, row in zip(words, values, strict=True):
        lines.append(" ".join([word, *(repr(float(value)) for value in row)]))
    return "".join(f"{line}\n" for line in lines).encode()


def binary_of(words: list[str], values: np.ndarray, end: bytes = b"\n") -> bytes:
    parts = [f"{len(words)} {values.shape[1]}\n".encode()]
    for word, row in zip(words, values, strict=True):
        numbers = struct.pack(f"<{len(row)}f", *row)
        parts.append(word.replace(" ", "_").encode() + b" " + numbers + end)
    return b"".join(parts)


FILES = {
    "glove": text_of(WORDS, VALUES, header=False),
    "word2vec": text_of(WORDS, VALUES, header=True),
    "fasttext": text_of(WORDS, VALUES, header=True).replace(b"\n", b" \n"),
    "windows": text_of(WORDS, VALUES, header=True).replace(b"\n", b"\r\n"),
    "word2vec-binary": binary_of(WORDS, VALUES),
    "binary without line feeds": binary_of(WORDS, VALUES, end=b""),
}


def read(folder: Path, content: bytes, form: str = "auto") -> WordVectors:
    path = folder / "vectors"
    path.write_bytes(content)
    return VectorFile(path, form).read()


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", FILES)
def test_formats_are_found_and_read(name: str, packed: bool, tmp_path: Path) -> None:
    content = gzip.compress(FILES[name]) if packed else FILES[name]
    found = read(tmp_path, content)
    binary = "binary" in name
    assert found.words == [w.replace(" ", "_") if binary else w for w in WORDS]
    np.testing.assert_array_equal(found.vectors, VALUES)


def test_the_first_words_are_a_stream(tmp_path: Path) -> None:
    # What stands after them is never looked at.
    (tmp_path / "vectors").write_bytes(FILES["word2vec"] + b"no vector\n")
    found = VectorFile(tmp_path / "vectors").read(limit=3)
    assert found.words == WORDS[:3]


def test_wanted_words_only(tmp_path: Path) -> None:
    (tmp_path / "vectors").write_bytes(b"a x\nb 1\nc 2\n")
    found = VectorFile(tmp_path / "vectors", "glove").read(wanted={"c", "b", "z"})
    assert found.words == ["b", "c"]


def test_a_repeated_word_keeps_its_first_vector(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = read(tmp_path, b"a 1 2\nb 3 4\na 5 6\n")
    assert found.words == ["a", "b"]
    assert found.vectors[0].tolist() == [1, 2]
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "line 3: 'a' comes again" in said


BAD = {
    "empty": (b"", "is empty"),
    "empty gzip": (gzip.compress(b""), "is empty"),
    "only a header": (b"3 2\n", "ends after 0 of the 3 words"),
    "short line": (b"a 1 2\nb 1\n", "line 2: has 1 numbers after its word, not 2"),
    "long line": (b"a 1 2\nb 1 2 3\n", "line 2: has 3 numbers after its word, not 2"),
    "blank line": (b"a 1 2\n\nb 3 4\n", "line 2: has 0 numbers"),
    "no numbers": (b"word\n", "line 1: has 0 numbers after its word, not one or more"),
    "no word": (b"a 1 2\n 3 4\n", "line 2: there is no word"),
    "a word for a number": (b"a 1 2\nb 1 x\n", "line 2: 'x' is no number"),
    "NaN": (b"a 1 2\nb nan 2\n", "line 2: the vector of 'b' has a value that is not"),
    "too large": (b"2 1\na 1\nb 1e39\n", "line 3: the vector of 'b' has a value"),
    "header's size": (b"2 3\na 1 2\nb 1 2\n", "line 2: has 2 numbers after its word"),
    "header too large": (b"3 2\na 1 2\nb 1 2\n", "ends after 2 of the 3 words"),
    "header too small": (b"1 2\na 1 2\nb 1 2\n", "line 3: more lines than the 1 words"),
    "header of nothing": (b"0 2\n", "line 1: the header says that there is nothing"),
    "broken UTF-8": (b"a 1 2\n\xff\xfe 1 2\n", r"line 2: the word '\xff\xfe' is not"),
    "zip": (b"PK\x03\x04rest", "is a zip archive: unpack it"),
    "cut gzip": (gzip.compress(FILES["glove"])[:-9], "the gzip file is cut off"),
    "cut binary": (FILES["word2vec-binary"][:-7], "ends after 4 of the 5 words"),
    "binary too long": (FILES["word2vec-binary"] + b"x", "goes on after the 5 words"),
    "binary NaN": (
        binary_of(["a", "b"], np.array([[1, 2], [np.nan, 1]])),
        "word 2: the vector of 'b' has a value that is not finite",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_told_in_one_line(name: str, tmp_path: Path) -> None:
    content, message = BAD[name]
    with pytest.raises(Mistake) as caught:
        read(tmp_path, content)
    assert str(caught.value).startswith(f"{tmp_path / 'vectors'}")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("form", ["word2vec", "word2vec-binary"])
def test_a_wrong_header(form: str, tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="line 1: 'a 1 2' is no header of two numbers"):
        read(tmp_path, b"a 1 2\n", form)


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    for path, reason in ((tmp_path / "no", "No such file"), (tmp_path, "directory")):
        with pytest.raises(Mistake, match=reason):
            VectorFile(path).read()


def test_fewer_words_than_asked_for(tmp_path: Path) -> None:
    (tmp_path / "vectors").write_bytes(FILES["glove"])
    with pytest.raises(Mistake, match="holds 5 words, 6 were asked for"):
        VectorFile(tmp_path / "vectors").read(limit=6)


words = st.text(st.characters(exclude_characters="\n\r ", codec="utf-8"), min_size=1)
finite = st.floats(width=32, allow_nan=False, allow_infinity=False)


@same_file
@given(data=st.data(), dim=st.integers(1, 4))
def test_what_is_written_is_read(data: st.DataObject, dim: int, tmp_path: Path) -> None:
    rows = st.tuples(words, st.lists(finite, min_size=dim, max_size=dim))
    drawn = data.draw(st.lists(rows, min_size=1, max_size=5, unique_by=lambda r: r[0]))
    given_vectors = WordVectors(
        [word for word, _ in drawn], np.array([row for _, row in drawn], np.float32)
    )
    write_word2vec(given_vectors, tmp_path / "vectors")
    found = VectorFile(tmp_path / "vectors", "word2vec").read()
    assert found.words == given_vectors.words
    np.testing.assert_array_equal(found.vectors, given_vectors.vectors)


@same_file
@example(content=b"2 2\n\xff", form="auto")
@example(content=b"\x1f\x8b", form="auto")
@example(content=b"1 1\n" + b"x" * 5000, form="word2vec-binary")
@given(
    content=st.one_of(
        st.binary(max_size=60),
        st.text("ab 1.-en\n", max_size=40).map(str.encode),
        st.text("1 2\n.a\x00", max_size=30).map(lambda t: b"2 1\n" + t.encode()),
        st.integers(0, 200).map(lambda n: FILES["word2vec-binary"][:n]),
        st.integers(0, 200).map(lambda n: gzip.compress(FILES["glove"])[:n]),
    ),
    form=st.sampled_from(["auto", *FORMATS]),
)
def test_anything_else_is_one_line(content: bytes, form: str, tmp_path: Path) -> None:
    message = "one line"
    try:
        found = read(tmp_path, content, form)
    except Mistake as error:
        message = str(error)
    else:
        assert len(found.words) == len(set(found.words)) == len(found.vectors) > 0
        assert np.isfinite(found.vectors).all()
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize("name", ["glove", "word2vec", "word2vec-binary"])
def test_a_byte_order_mark_is_no_part_of_the_first_word(
    name: str, tmp_path: Path
) -> None:
    found = read(tmp_path, b"\xef\xbb\xbf" + FILES[name])
    assert found.words == read(tmp_path, FILES[name]).words
