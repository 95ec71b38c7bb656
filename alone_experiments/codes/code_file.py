"""The file of packed codes: written and read with NumPy alone; see docs/codes.md."""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from alone_experiments.codes.packing import Codes, pack, packed_bytes, unpack
from alone_experiments.codes.shapes import LARGEST, Shape
from alone_experiments.files import writing
from alone_experiments.mistakes import Mistake
from alone_experiments.word_vectors.word_vectors import WordVectors

MAGIC, VERSION = b"alncodes", 1
_START = struct.Struct("<8sII")
_CHECKSUM_BYTES = 32
_PARTS = ("words", "codes", "scales", "codewords")

Floats = npt.NDArray[np.float32]

PRECISIONS = {"fp32": "<f4", "fp16": "<f2", "int8": "i1"}
"""How codewords are stored; ``int8`` with a scale in fp32 for each codeword."""


@dataclass(frozen=True)
class PackedCodes:
    """What is in such a file.

    Attributes:
        shape: M codebooks of K codewords.
        words: The word, or the dictionary's symbol, of each row; ``V`` of them.
        codes: In ``[0, K)``, uint16, ``(V, M)``.
        codewords: The codebooks one below the other, float32, ``(M * K, D)``.
        specials: First rows that are special symbols, not words.
        padding_idx: Row of the padding symbol; ``None`` for none.
    """

    shape: Shape
    words: list[str]
    codes: Codes
    codewords: Floats
    specials: int = 0
    padding_idx: int | None = None

    def only(self, rows: list[int]) -> PackedCodes:
        """Leave other rows out; these ascend, and begin with the special symbols."""
        words = [self.words[row] for row in rows]
        return replace(self, words=words, codes=self.codes[rows])

    def vectors(self, rows: npt.NDArray[np.integer] | slice = slice(None)) -> Floats:
        """Build the vectors of some rows, or of all: ``E(w) = sum_i A_i[C_w^i]``."""
        chosen = self.codes[rows]
        made = np.zeros((len(chosen), self.codewords.shape[1]), np.float32)
        for book, own in enumerate(chosen.T):
            made += self.codewords[book * self.shape.values + own.astype(np.int64)]
        return made

    def word_vectors(self) -> WordVectors:
        """Build the vectors of all words, without special symbols."""
        first = slice(self.specials, None)
        return WordVectors(self.words[first], self.vectors(first))


def part_sizes(packed: PackedCodes, precision: str) -> dict[str, int]:
    """Count the bytes of each part of the file but its header."""
    count = packed.codes.size
    scales = 4 * len(packed.codewords) if precision == "int8" else 0
    item = np.dtype(PRECISIONS[precision]).itemsize
    return {
        "words": sum(len(word.encode()) + 1 for word in packed.words),
        "codes": packed_bytes(count, packed.shape.bits),
        "scales": scales,
        "codewords": item * packed.codewords.size,
    }


def write(packed: PackedCodes, path: Path, precision: str = "fp32") -> int:
    """Write a file of packed codes; it appears whole or not at all.

    Args:
        packed: Codes, codewords and words.
        path: The file.
        precision: Key of ``PRECISIONS``.

    Returns:
        Its bytes.

    Raises:
        Mistake: If a word has a line feed in it, a codeword does not fit into the
            precision, or the file cannot be written.
    """
    if wrong := [word for word in packed.words if "\n" in word or not word]:
        raise Mistake(f"the word {wrong[0]!r} cannot be stored: rename it")
    words = "".join(f"{word}\n" for word in packed.words).encode()
    header = {
        "words": len(packed.words),
        "codebooks": packed.shape.codebooks,
        "values": packed.shape.values,
        "dim": packed.codewords.shape[1],
        "precision": precision,
        "specials": packed.specials,
        "padding_idx": packed.padding_idx,
        "bytes": part_sizes(packed, precision),
    }
    text = json.dumps(header).encode()
    parts = [_START.pack(MAGIC, VERSION, len(text)), text, words]
    parts += [pack(packed.codes, packed.shape.bits).tobytes()]
    parts += _store(packed.codewords, precision)
    digest = hashlib.sha256()
    with writing(path) as file:
        for part in parts:
            digest.update(part)
            file.write(part)
        file.write(digest.digest())
    return sum(map(len, parts)) + _CHECKSUM_BYTES


def _store(codewords: Floats, precision: str) -> list[bytes]:
    kind = np.dtype(PRECISIONS[precision])
    if not np.isfinite(codewords).all():
        raise Mistake("a codeword has a value that is not finite: learn again")
    if precision != "int8":
        with np.errstate(over="ignore"):
            stored = codewords.astype(kind)
        if not np.isfinite(stored).all():
            raise Mistake(f"a codeword is too large for {precision}: choose fp32")
        return [b"", stored.tobytes()]
    scales = np.abs(codewords).max(axis=1, keepdims=True) / np.float32(127)
    whole = np.rint(codewords / np.where(scales > 0, scales, 1)).astype(kind)
    return [scales.astype("<f4").tobytes(), whole.tobytes()]


def is_packed(path: Path) -> bool:
    """Whether a file begins as a file of packed codes.

    Raises:
        Mistake: If it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise Mistake(f"{path}: cannot be read: {error.strerror}") from None


def read(path: Path) -> PackedCodes:
    """Read a file of packed codes.

    Raises:
        Mistake: If it cannot be read, is of another kind or version, or is damaged.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Mistake(f"{path}: cannot be read: {error.strerror}") from None
    start = content[: _START.size]
    if len(start) < _START.size or not start.startswith(MAGIC):
        raise Mistake(
            f"{path}: is no file of packed codes; make one with alone-fairseq codes"
            " export"
        )
    _, version, length = _START.unpack(start)
    if version != VERSION:
        raise Mistake(
            f"{path}: has version {version}, this program reads {VERSION}: use the one"
            " that wrote it"
        )
    if hashlib.sha256(content[:-_CHECKSUM_BYTES]).digest() != content[-32:]:
        raise Mistake(f"{path}: is damaged or cut off: get it or export it again")
    try:
        header = json.loads(content[_START.size : _START.size + length])
        return _parts(header, memoryview(content)[_START.size + length :])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        raise Mistake(f"{path}: its header makes no sense: export it again") from None


def _parts(header: dict[str, Any], content: memoryview) -> PackedCodes:
    shape = Shape(header["codebooks"], header["values"])
    count, dim, sizes = header["words"], header["dim"], header["bytes"]
    specials, padding = header["specials"], header["padding_idx"]
    numbers = [*shape, count, dim, specials, *(sizes[name] for name in _PARTS)]
    numbers += [] if padding is None else [padding]
    if not all(type(number) is int for number in numbers):  # True is an int, too
        raise TypeError("sizes that are no whole numbers")
    if not (2 <= shape.values <= LARGEST and min(shape.codebooks, count, dim) >= 1):
        raise ValueError("sizes out of range")
    parts, first = {}, 0
    for name in _PARTS:
        parts[name] = content[first : first + sizes[name]]
        first += sizes[name]
    if first + _CHECKSUM_BYTES != len(content):
        raise ValueError("sizes that are not those of the file")
    # First of all, so that no memory is taken for more codes than the file has.
    if len(parts["codes"]) != packed_bytes(count * shape.codebooks, shape.bits):
        raise ValueError("other codes than the header says")
    if not 0 <= specials <= count or not (padding is None or 0 <= padding < count):
        raise ValueError("special symbols that are no words")
    words = bytes(parts["words"]).decode().split("\n")[:-1]
    bits = np.frombuffer(parts["codes"], np.uint8)
    codes = unpack(bits, count * shape.codebooks, shape.bits)
    if len(words) != count or int(codes.max()) >= shape.values:
        raise ValueError("other words or values than the header says")
    stored = np.frombuffer(parts["codewords"], PRECISIONS[header["precision"]])
    codewords = stored.astype(np.float32).reshape(shape.codewords, dim)
    if header["precision"] == "int8":
        codewords *= np.frombuffer(parts["scales"], "<f4")[:, None]
    return PackedCodes(
        shape,
        words,
        codes.reshape(count, shape.codebooks),
        codewords,
        specials,
        padding,
    )
