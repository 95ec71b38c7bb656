"""The irregular forms of WordNet, which ROUGE-1.5.5 looks up before it stems a word.

Its list is made of the files ``noun.exc``, ``verb.exc``, ``adj.exc`` and ``adv.exc`` of
WordNet 2.0 (``rose rise``), and reaches the program as a Berkeley DB hash file. Those
entries that matter are in ``wordnet_exceptions.txt``, under WordNet's licence.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from alone_experiments.evaluation.porter import stem
from alone_experiments.lines import read_lines
from alone_experiments.mistakes import Mistake

BUILT_IN = Path(__file__).with_name("wordnet_exceptions.txt")

_MAGIC = 0x061561
_MAGIC_AT, _PAGE_SIZE_AT = 12, 20
_PAGE_HEADER, _ENTRIES_AT, _TYPE_AT = 26, 20, 25
_HASH_PAGES = (2, 13)
_INLINE = 1


def load_exceptions(path: str | Path = BUILT_IN) -> dict[str, str]:
    """Read irregular forms and the word that stands for each of them.

    Args:
        path: The list of ROUGE-1.5.5 if left out; or a ``WordNet-2.0.exc.db`` of its
            making; or a text file with a form and its base form on each line, as
            WordNet's ``.exc`` files are; or a folder with such files, or with a folder
            ``WordNet-2.0-Exceptions`` of them. Of several lines for one form
            the last counts, as in ROUGE's own script.

    Returns:
        Base forms by form, without those that never matter: what is no word for ROUGE
        or is not looked up, and what the stemmer makes of the form anyway.

    Raises:
        Mistake: If there is no such list, or if it is damaged.
    """
    path = Path(path)
    exceptions: dict[str, str] = {}
    for file in _files(path):
        exceptions.update(_load_file(file))
    irregular = {a: b for a, b in exceptions.items() if _matters(a, b)}
    if not irregular:
        raise Mistake(f"--exceptions {path}: no irregular forms in it")
    return irregular


@cache
def built_in_exceptions() -> Mapping[str, str]:
    """The irregular forms of ROUGE-1.5.5, read once."""
    return MappingProxyType(load_exceptions())


def _matters(form: str, base: str) -> bool:
    return bool(re.fullmatch("[a-z0-9]{4,}", form)) and stem(form) != base


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    within = path / "WordNet-2.0-Exceptions"
    files = [*path.glob("*.exc")] or [*within.glob("*.exc")]
    if not files:
        raise Mistake(
            f"--exceptions {path}: the folder has no *.exc files: give WordNet's folder"
            " of noun.exc, verb.exc, adj.exc and adv.exc, or ROUGE-1.5.5's data folder"
        )
    return sorted(files, key=_rank)


def _rank(file: Path) -> tuple[int, str]:
    """Put a folder's files in order; ROUGE's script leaves it to the file system.

    Of the forms that ROUGE looks up, ``best``, ``better`` and ``testes`` depend on it.
    """
    known = ("noun", "adv", "verb", "adj")
    return (known.index(file.stem) if file.stem in known else -1, file.name)


def _load_file(file: Path) -> dict[str, str]:
    try:
        with file.open("rb") as opened:
            start = opened.read(_MAGIC_AT + 4)
    except OSError as error:
        raise Mistake(f"cannot read {file}: {error.strerror}") from error
    for order in "<>":
        magic = struct.pack(f"{order}I", _MAGIC)
        if start[_MAGIC_AT:] == magic:
            return _read_hash_file(file, order)
    return _read_text_file(file)


def _read_text_file(file: Path) -> dict[str, str]:
    if b"\0" in file.read_bytes():
        raise Mistake(
            f"{file} is neither text nor a hash file of Berkeley DB 3 or newer:"
            " give WordNet's *.exc files instead"
        )
    exceptions = {}
    for number, line in enumerate(read_lines(file), start=1):
        if not line or line.startswith("#"):
            continue
        words = line.split()
        if len(words) < 2:
            raise Mistake(
                f"{file}, line {number}: {line!r} is no form with its base form"
            )
        exceptions[words[0]] = words[1]
    return exceptions


def _read_hash_file(file: Path, order: str) -> dict[str, str]:
    """Read the pairs of a hash file; its pages begin with a header of 26 bytes."""
    content = file.read_bytes()
    try:
        (size,) = struct.unpack_from(f"{order}I", content, _PAGE_SIZE_AT)
        items: list[bytes] = []
        for start in range(size, len(content), size):
            items += _items_of_page(content[start : start + size], order)
        words = [item.decode() for item in items]
    except (struct.error, ValueError, IndexError) as error:
        raise Mistake(f"{file} is damaged: build it again") from error
    return dict(zip(words[::2], words[1::2], strict=True))


def _items_of_page(page: bytes, order: str) -> list[bytes]:
    """Return keys and values in turn; they are stored from the end of the page."""
    if page[_TYPE_AT] not in _HASH_PAGES:
        return []
    (entries,) = struct.unpack_from(f"{order}H", page, _ENTRIES_AT)
    starts = struct.unpack_from(f"{order}{entries}H", page, _PAGE_HEADER)
    ends = (len(page), *starts)
    items = [page[s:e] for s, e in zip(starts, ends, strict=False)]
    if any(item[0] != _INLINE for item in items):
        raise ValueError("an item is stored on another page")
    return [item[1:] for item in items]
