"""How many words an embedding has to hold: a number, a dictionary, a data folder."""

from __future__ import annotations

from pathlib import Path

from fairseq.data import Dictionary

from alone_experiments.arguments import whole_number
from alone_experiments.mistakes import Mistake
from alone_fairseq.embeddings import TableSize


def number_or_path(text: str) -> int | str:
    """Read a number of words, at least one and the padding symbol, or leave a path."""
    is_number = text.removeprefix("-").isdecimal()
    return whole_number(2)(text) if is_number else text


def read_tables(given: int | str, dim: int) -> list[TableSize]:
    """Tell the sizes of the embeddings that a model needs.

    Args:
        given: A number; a dictionary of ``fairseq-preprocess``; or the folder that it
            wrote, where two equal dictionaries are taken for one that is shared.
        dim: Vector size ``D``.

    Returns:
        The size of each embedding, special symbols included, with its words where they
        are known.

    Raises:
        Mistake: If it is none of these.
    """
    if isinstance(given, int):
        return [TableSize(given, dim)]
    path = Path(given)
    found = _of_folder(path) if path.is_dir() else [_read(path)]
    return [TableSize(len(each), dim, each.pad(), each.symbols) for each in found]


def _of_folder(folder: Path) -> list[Dictionary]:
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
    return different


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
