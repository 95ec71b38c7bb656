"""Codes as bits without gaps: ``M log2 K`` of them a word."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Codes = npt.NDArray[np.uint16]

_CODES_AT_A_TIME = 1 << 18  # a multiple of 8, so that parts end at whole bytes


def packed_bytes(count: int, bits: int) -> int:
    """Count the bytes of ``count`` codes of ``bits`` bits."""
    return -(-count * bits // 8)


def pack(codes: Codes, bits: int) -> Bytes:
    """Pack codes one after the other, the lowest bit of each first.

    Args:
        codes: Whole numbers in ``[0, 2^bits)``, of any shape, uint16.
        bits: Bits of a code, 1 to 16.

    Returns:
        Bytes, filled from their lowest bit; what is left of the last one is 0.
    """
    flat, places = codes.ravel(), np.arange(bits, dtype=np.uint16)
    parts = [
        np.packbits(
            (flat[i : i + _CODES_AT_A_TIME, None] >> places & 1).astype(np.uint8),
            bitorder="little",
        )
        for i in range(0, len(flat), _CODES_AT_A_TIME)
    ]
    return np.concatenate(parts) if parts else np.zeros(0, np.uint8)


def unpack(packed: Bytes, count: int, bits: int) -> Codes:
    """Turn what :func:`pack` made into codes again.

    Args:
        packed: At least ``packed_bytes(count, bits)`` bytes.
        count: Number of codes.
        bits: Bits of a code.

    Returns:
        Codes, uint16, ``(count,)``.
    """
    codes = np.empty(count, np.uint16)
    weights = (1 << np.arange(bits)).astype(np.uint16)
    for i in range(0, count, _CODES_AT_A_TIME):
        size = min(_CODES_AT_A_TIME, count - i)
        part = packed[i * bits // 8 : packed_bytes(i + size, bits)]
        found = np.unpackbits(part, count=size * bits, bitorder="little")
        codes[i : i + size] = found.reshape(size, bits) @ weights
    return codes
