"""How many words an embedding has to hold: a number, a dictionary, a data folder."""

from __future__ import annotations

from pathlib import Path

from fairseq.data import Dictionary

from alone_experiments.arguments import whole_number
from alone_experiments.mistakes import Mistake


def number_or_path(text: str) -> int | str:
    """Read a number of words, at least one and the padding symbol, or leave a path."""
    is_number = text.removeprefix("-").isdecimal()
    return whole_number(2)(text) if is_number else text


def read_vocabularies(given: int | str) -> list[int]:
    """Count the rows of the embeddings that a model needs.

    Args:
        given: A number; a dictionary of ``fairseq-preprocess``; or the folder that it
            wrote, where two equal dictionaries are taken for one that is shared.

    Returns:
        Vocabulary size ``V`` of each embedding, special symbols included.

    Raises:
        Mistake: If it is none of these.
    """
    if isinstance(given, int):
        return [given]
    path = Path(given)
    if path.is_dir():
        return _of_folder(path)
    return [len(_read(path))]


def _of_folder(folder: Path) -> list[int]:
    files = sorted(folder.glob("dict*.txt"))
    if not files:
        raise Mistake(
            f"--vocabulary {folder}: has no dict.<language>.txt in it: give the folder"
            " that fairseq-preprocess wrote"
        )
    different: list[Dictionary] = []
    for dictionary in map(_read, files):
        if dictionary not in different:
            different.append(dictionary)
    return [len(each) for each in different]


def _read(path: Path) -> Dictionary:
    if not path.is_file():
        raise Mistake(
            f"--vocabulary {path}: is no number, and there is no such dictionary or"
            " folder"
        )
    try:
        found = Dictionary.load(str(path))
    except (ValueError, RuntimeError, UnicodeError) as error:
        reason = str(error).splitlines()[0]
        raise Mistake(
            f"--vocabulary {path}: is no dictionary of fairseq-preprocess: {reason}"
        ) from None
    if len(found) <= found.nspecial:
        raise Mistake(f"--vocabulary {path}: holds no words")
    return found
