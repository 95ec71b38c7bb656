"""What a corpus is: the file ``data-prep/<corpus>.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, get_args, get_type_hints

from alone_experiments.mistakes import Mistake, explain
from alone_experiments.repository import folder_of_checkout

PARTS = ("train", "valid", "test")


@dataclass(frozen=True)
class Text:
    """A text file as it is published.

    Attributes:
        name: Its name, on the server and in ``--from DIR``.
        to: Where it belongs in the folder of the corpus.
        sha256: Its SHA-256, uncompressed, where that is known.
        archive: The ``.zip`` file that it is published in, if it is in one.
        lines: How many lines it has, where that is known.
        fields: How many words or numbers each of its lines has, where that is known.
        first: Its first word, where that is known.
    """

    name: str
    to: str
    sha256: str | None = None
    archive: str | None = None
    lines: int | None = None
    fields: int | None = None
    first: str | None = None


@dataclass(frozen=True)
class Archive:
    """A ``.tgz`` file with texts; ``data-prep/wmt16_en_de.toml`` explains the fields.

    Attributes:
        file: Its name.
        url: Where it is kept.
        part: ``train``, ``valid`` or ``test``.
        members: Names of the texts in it, by language.
        bytes: Its size, where that is known.
        sha256: Its SHA-256, where that is known.
        md5: Its MD5, where that is known.
        pairs: The number of lines of each text, where that is known.
    """

    file: str
    url: str
    part: str
    members: Mapping[str, str]
    bytes: int | None = None
    sha256: str | None = None
    md5: str | None = None
    pairs: int | None = None

    @property
    def has_checksum(self) -> bool:
        """Whether its true checksum is known."""
        return self.sha256 is not None or self.md5 is not None


@dataclass(frozen=True)
class InitialValues:
    """An embedding that is fitted to word vectors, for models to start from.

    Attributes:
        name: Its name: that of its files, without the endings.
        flags: The embedding: flags of ``alone-fairseq reconstruct``.
    """

    name: str
    flags: Sequence[str]


@dataclass(frozen=True)
class Description:
    """A corpus.

    Attributes:
        path: The file that describes it; the corpus has its name.
        title: A line about it.
        about: The text of ``--help``.
        raw: Where its text comes from: key of ``prepare.RAW``.
        units: What becomes of it: key of ``prepare.UNITS``, or nothing.
        licence: On what terms it may be used.
        settings: Values of :data:`.options.SETTINGS`.
        options: Which of these the user may choose.
        url: Address of the folder with the texts (of the archive, if they are in one).
        url_variable: Environment variable that replaces it.
        compressed: Whether the texts on the server end in ``.gz``.
        text: Its texts.
        archive: Its archives.
        initial_values: What ``--vectors`` makes.
    """

    path: Path
    title: str
    about: str
    raw: str
    units: str | None = None
    licence: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    options: Sequence[str] = ()
    url: str = ""
    url_variable: str = ""
    compressed: bool = False
    text: Sequence[Text] = ()
    archive: Sequence[Archive] = ()
    initial_values: Sequence[InitialValues] = ()

    @property
    def name(self) -> str:
        """Name of the corpus."""
        return self.path.stem


def corpora() -> dict[str, str]:
    """Return the titles of all described corpora by name."""
    files = sorted(folder_of_checkout("data-prep").glob("*.toml"))
    found = {path.stem: _table(path) for path in files}
    return {name: str(t["title"]) for name, t in found.items() if "title" in t}


def find_description(name: str) -> Description:
    """Read a description.

    Args:
        name: Of a corpus in ``data-prep``, or a file ``*.toml``.

    Raises:
        Mistake: If there is none, or it cannot be understood.
    """
    if name.endswith(".toml"):
        return read_description(Path(name))
    path = folder_of_checkout("data-prep") / f"{name}.toml"
    if not path.is_file():
        raise Mistake(f"no corpus {name}; there are: {', '.join(corpora())}")
    return read_description(path)


def read_description(path: Path) -> Description:
    """Read the description of a corpus.

    Args:
        path: A TOML file with the attributes of :class:`Description`.

    Raises:
        Mistake: If the file cannot be read or is no description.
    """
    table = _table(path)
    lists: dict[str, Any] = {
        "text": _entries(path, "text", Text, table.pop("text", [])),
        "archive": _archives(path, table.pop("archive", [])),
        "initial_values": _entries(
            path, "initial_values", InitialValues, table.pop("initial_values", [])
        ),
    }
    try:
        description = Description(path=path, **lists, **table)
    except TypeError as error:
        raise Mistake(f"{path}: {error}; {_known(Description)}") from error
    _check_kinds(path, "", Description, table)
    return description


def read_archives(path: Path) -> list[Archive]:
    """Read the table of archives alone, of a file that may have nothing else.

    Raises:
        Mistake: If the file cannot be read, or lacks a part of a corpus.
    """
    archives = _archives(path, _table(path).get("archive", []))
    missing = sorted(set(PARTS) - {archive.part for archive in archives})
    if missing:
        raise Mistake(f"{path} has no archive for {', '.join(missing)}")
    return archives


def _table(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise Mistake(explain(error, path)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Mistake(f"{path} is no TOML file: {error}") from error


Entry = TypeVar("Entry")


def _entries(path: Path, name: str, kind: type[Entry], found: Any) -> list[Entry]:
    try:
        entries = [kind(**entry) for entry in found]
    except TypeError as error:
        raise Mistake(f"{path}: {error}; each [[{name}]] has {_known(kind)}") from error
    for entry in found:
        _check_kinds(path, f"[[{name}]] ", kind, entry)
    return entries


# By the type of a field: what makes a value one of these, and what it is called. To
# Python, not to TOML, true is a whole number.
_KINDS: dict[Any, tuple[Callable[[Any], bool], str]] = {
    str: (lambda value: isinstance(value, str), "a string"),
    int: (lambda value: type(value) is int, "a whole number"),
    bool: (lambda value: isinstance(value, bool), "true or false"),
    Sequence[str]: (
        lambda value: isinstance(value, list) and _strings(value),
        "an array of strings",
    ),
    Mapping[str, str]: (
        lambda value: isinstance(value, dict) and _strings(value.values()),
        "a table of strings",
    ),
    Mapping[str, Any]: (lambda value: isinstance(value, dict), "a table"),
}


def _strings(values: Iterable[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _check_kinds(path: Path, where: str, kind: Any, table: Mapping[str, Any]) -> None:
    hints = get_type_hints(kind)
    for name, value in table.items():
        hint = hints.get(name)
        if isinstance(hint, UnionType):
            hint = get_args(hint)[0]
        if hint not in _KINDS:  # no field: what makes the entry says so
            continue
        fits, called = _KINDS[hint]
        if not fits(value):
            raise Mistake(f"{path}: {where}{name} must be {called}, not {value!r}")


def _known(kind: Any) -> str:
    return f"some of the fields {', '.join(field.name for field in fields(kind))}"


def _archives(path: Path, found: Iterable[Any]) -> list[Archive]:
    archives = _entries(path, "archive", Archive, found)
    for archive in archives:
        if archive.part not in PARTS:
            raise Mistake(
                f"{path}: the part of {archive.file} is {archive.part!r}; it must be"
                f" one of {', '.join(PARTS)}"
            )
        if len(archive.members) != len(archives[0].members):
            raise Mistake(f"{path}: a language of {archive.file} is missing")
    return archives
