"""What wrote a file of subword units, told without either library."""

from __future__ import annotations

from pathlib import Path

_MERGES = b"#version:"  # how a file of subword-nmt's begins


def is_of_sentencepiece(model: Path) -> bool:
    """Tell SentencePiece's model from merges of subword-nmt.

    Args:
        model: Such as ``bpe/codes`` of a prepared corpus. Where there is none, units
            are taken for subword-nmt's.
    """
    if not model.is_file():
        return False
    with model.open("rb") as file:
        return file.read(len(_MERGES)) != _MERGES
