"""The file of packed codes: what comes back, what is refused, what it takes."""

import hashlib
import json
import subprocess
import sys
import tempfile
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from matplotlib import image

from alone_experiments import cli
from alone_experiments.codes import code_file
from alone_experiments.codes.code_file import PackedCodes
from alone_experiments.codes.embedding import embedding_of
from alone_experiments.codes.packing import pack, packed_bytes, unpack
from alone_experiments.codes.shapes import Shape
from alone_experiments.codes.show import groups, similar
from alone_experiments.mistakes import Mistake
from alone_experiments.reconstruction import saved
from alone_experiments.word_vectors.vectors import VectorFile

SHAPE = Shape(3, 5)


def some_codes(shape: Shape = SHAPE, words: int = 21, dim: int = 4) -> PackedCodes:
    generator = np.random.default_rng(1)
    return PackedCodes(
        shape,
        [f"w{number} é" for number in range(words)],
        generator.integers(0, shape.values, (words, shape.codebooks), np.uint16),
        generator.normal(size=(shape.codewords, dim)).astype(np.float32),
    )


@given(st.data(), st.integers(1, 16))
def test_packed_codes_come_back(data: st.DataObject, bits: int) -> None:
    codes = data.draw(st.lists(st.integers(0, 2**bits - 1), max_size=50))
    packed = pack(np.array(codes, np.uint16), bits)
    assert len(packed) == packed_bytes(len(codes), bits)
    assert unpack(packed, len(codes), bits).tolist() == codes


def test_bits_stand_as_documented() -> None:
    # 3, 1, 2 of three bits each: 011, 001, 010 from the lowest bit upwards.
    assert pack(np.array([3, 1, 2], np.uint16), 3).tolist() == [0b10001011, 0]


def test_long_codes_are_packed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = np.random.default_rng(2).integers(0, 32, 1001, np.uint16)
    whole = pack(codes, 5)
    monkeypatch.setattr("alone_experiments.codes.packing._CODES_AT_A_TIME", 64)
    assert np.array_equal(pack(codes, 5), whole)
    assert np.array_equal(unpack(whole, 1001, 5), codes)


@pytest.mark.parametrize(
    ("precision", "closeness"), [("fp32", 0), ("fp16", 2**-11), ("int8", 0.5 / 127)]
)
def test_what_is_written_comes_back(
    precision: str, closeness: float, tmp_path: Path
) -> None:
    given, path = some_codes(), tmp_path / "c"
    size = code_file.write(given, path, precision)
    found = code_file.read(path)
    assert size == path.stat().st_size
    assert (found.shape, found.words) == (given.shape, given.words)
    assert np.array_equal(found.codes, given.codes)
    largest = np.abs(given.codewords).max(axis=1, keepdims=True)
    away = np.abs(found.codewords - given.codewords)
    assert (away <= closeness * largest * (1 + 1e-6)).all()


def test_vectors_are_those_of_the_embedding() -> None:
    given = some_codes()
    table = embedding_of(given).table().detach().numpy()
    np.testing.assert_allclose(given.vectors(), table, atol=1e-6)
    np.testing.assert_array_equal(given.vectors(slice(3, 5)), given.vectors()[3:5])


def damaged(path: Path) -> dict[str, bytes]:
    content = path.read_bytes()
    return {
        "is damaged or cut off": content[:-1],
        "is damaged or cut": content[:100] + b"?" + content[101:],
        "is no file of packed codes": b"8000 300\nword 0.1 0.2",
        "is no file of": b"",
        "has version 9, this program reads 1": content[:8] + b"\x09" + content[9:],
    }


@pytest.mark.parametrize("number", range(5))
def test_other_files_are_refused_in_one_line(number: int, tmp_path: Path) -> None:
    path = tmp_path / "c"
    code_file.write(some_codes(), path)
    message, content = list(damaged(path).items())[number]
    path.write_bytes(content)
    with pytest.raises(Mistake, match=message) as raised:
        code_file.read(path)
    assert str(raised.value).startswith(f"{path}: ")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", ["words", "codebooks", "dim", "length"])
def test_a_header_of_huge_sizes_takes_no_memory(name: str, tmp_path: Path) -> None:
    """Sizes are compared with the file's before anything of that size is made."""
    path, start = tmp_path / "c", code_file._START
    code_file.write(some_codes(), path)
    content = path.read_bytes()[:-32]
    *kind, length = start.unpack(content[: start.size])
    header = json.loads(content[start.size : start.size + length])
    if name in header:
        header[name] = 10**9
    text = json.dumps(header).encode()
    said = 2**32 - 1 if name == "length" else len(text)
    content = start.pack(*kind, said) + text + content[start.size + length :]
    path.write_bytes(content + hashlib.sha256(content).digest())
    tracemalloc.start()
    with pytest.raises(Mistake, match="its header makes no sense"):
        code_file.read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("specials", 99), ("specials", -1), ("specials", "x"), ("specials", 1.5)),
        *(("padding_idx", 99), ("padding_idx", 2.5), ("padding_idx", True)),
        *(("values", 4.0), ("words", 21.0), ("dim", True), ("codebooks", "3")),
        *(("bytes", [1, 2, 3, 4]), ("bytes", {"words": 9})),
    ],
)
def test_numbers_that_make_no_sense(name: str, value: object, tmp_path: Path) -> None:
    path, start = tmp_path / "c", code_file._START
    code_file.write(some_codes(), path)
    content = path.read_bytes()[:-32]
    *kind, length = start.unpack(content[: start.size])
    header = json.loads(content[start.size : start.size + length])
    assert name in header
    text = json.dumps({**header, name: value}).encode()
    content = start.pack(*kind, len(text)) + text + content[start.size + length :]
    path.write_bytes(content + hashlib.sha256(content).digest())
    with pytest.raises(Mistake, match="its header makes no sense"):
        code_file.read(path)


@example(b"[" * 100_000)
@given(st.binary(max_size=300))
def test_any_header_ends_with_a_mistake(text: bytes) -> None:
    start = code_file._START.pack(code_file.MAGIC, code_file.VERSION, len(text))
    content = start + text
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c"
        path.write_bytes(content + hashlib.sha256(content).digest())
        with pytest.raises(Mistake, match="its header makes no sense"):
            code_file.read(path)


def test_the_reader_needs_numpy_only(tmp_path: Path) -> None:
    code_file.write(some_codes(), tmp_path / "c")
    code = (
        "import sys\n"
        "for name in ('torch', 'fairseq', 'alone_fairseq', 'scipy'):\n"
        "    sys.modules[name] = None\n"
        "from pathlib import Path\n"
        "from alone_experiments.codes.code_file import read\n"
        "print(read(Path(sys.argv[1])).vectors().shape)\n"
    )
    words = [sys.executable, "-c", code, str(tmp_path / "c")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == "(21, 4)\n"


def test_memory_to_read_grows_with_the_file(tmp_path: Path) -> None:
    given = some_codes(Shape(16, 16), words=20_000, dim=8)
    size = code_file.write(given, tmp_path / "c")
    tracemalloc.start()
    found = code_file.read(tmp_path / "c")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    words = sum(map(sys.getsizeof, found.words)) + 8 * len(found.words)
    # The file, its words twice, the codes in 16 bits, and one part of their bits.
    assert peak < size + 2 * words + found.codes.nbytes + 20 * 2**18


@pytest.fixture
def learned(tmp_path: Path) -> Path:
    """What codes learn would have written."""
    given = some_codes()
    rows = list(range(21))
    made = saved.Reconstruction(embedding_of(given), given.words, 0, rows, [], {})
    saved.save(made, tmp_path / "c.pt")
    return tmp_path / "c.pt"


def test_export_and_back(
    learned: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packed, vectors, again = (tmp_path / name for name in ("c", "v.vec", "again.pt"))
    cli.main(["codes", "export", str(learned), "--output", str(packed)])
    said = capsys.readouterr().out
    assert f"{packed.stat().st_size:,}" in said
    assert "trained values" in said
    assert "peak memory" in said
    out = ["--vectors-out", str(vectors), "--embedding-out", str(again)]
    cli.main(["codes", "unpack", str(packed), *out])
    mine, theirs = (
        saved.load(path).embedding.state_dict() for path in (again, learned)
    )
    assert all(torch.equal(mine[key], theirs[key]) for key in theirs)
    found = VectorFile(vectors).read()
    assert found.words == some_codes().words
    np.testing.assert_allclose(found.vectors, some_codes().vectors(), atol=1e-6)


@pytest.mark.parametrize("given", [["--data", "d"], ["--side", "target"]])
def test_unpack_without_a_checkpoint_needs_nothing_of_one(
    given: list[str], learned: Path, tmp_path: Path
) -> None:
    packed, vectors = tmp_path / "c", tmp_path / "v.vec"
    cli.main(["codes", "export", str(learned), "--output", str(packed)])
    out = ["--vectors-out", str(vectors)]
    with pytest.raises(Mistake, match=f"{given[0]} needs --checkpoint: name one"):
        cli.main(["codes", "unpack", str(packed), *out, *given])
    assert not vectors.exists()


def test_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = some_codes(Shape(2, 3), words=5)
    codes = np.array([[0, 1], [0, 2], [0, 1], [1, 0], [0, 1]], np.uint16)
    words, packed = given.words, tmp_path / "c"
    code_file.write(PackedCodes(given.shape, words, codes, given.codewords), packed)
    picture = tmp_path / "map.png"
    options = ["--count", "2", "--heat-map", str(picture)]
    cli.main(["codes", "show", str(packed), words[2], *options])
    said = capsys.readouterr().out.splitlines()
    width = max(len(words[row]) for row in (0, 2, 4))
    lines = [f"{words[row]:<{width}}  0 1" for row in (2, 0, 4)]
    assert said[0] == lines[0]
    assert sorted(said[1:3]) == sorted(lines[1:])
    assert f"0 1  {words[0]} {words[2]} {words[4]}" in said
    assert "words that share a code with others: 3 of 5" in said
    # Largest and smallest share, values unused, and entropy in bits.
    assert said[-3].split() == ["1", "80.0%", "0.0%", "1", "0.72"]
    assert said[-2].split() == ["2", "60.0%", "20.0%", "0", "1.37"]
    assert image.imread(picture).std() > 0
    with pytest.raises(Mistake, match="has no word nowhere"):
        cli.main(["codes", "show", str(packed), "nowhere"])


def test_similar_words_and_groups() -> None:
    codes = np.array([[0, 1], [0, 2], [0, 1], [1, 0], [0, 1]], np.uint16)
    given = some_codes(Shape(2, 3), words=5)
    packed = PackedCodes(given.shape, given.words, codes, given.codewords, specials=1)
    assert groups(packed, 2) == [[2, 4]]
    assert groups(packed, 1) == [[1, 2, 4]]
    vectors = packed.vectors()
    cosines = vectors[1:] @ vectors[2] / np.linalg.norm(vectors[1:], axis=1)
    assert similar(packed, 2, 1) == [4]
    best = [int(row) + 1 for row in (-cosines).argsort() if row + 1 not in (2, 4)]
    assert similar(packed, 2, 3)[1:] == best


def test_words_and_values_that_cannot_be_stored(tmp_path: Path) -> None:
    given = some_codes()
    bad = PackedCodes(given.shape, ["a\nb"] * 21, given.codes, given.codewords)
    with pytest.raises(Mistake, match="cannot be stored"):
        code_file.write(bad, tmp_path / "c")
    large = PackedCodes(given.shape, given.words, given.codes, given.codewords * 1e6)
    with pytest.raises(Mistake, match="too large for fp16"):
        code_file.write(large, tmp_path / "c", "fp16")
    assert not (tmp_path / "c").exists()
    assert list(tmp_path.iterdir()) == []
