"""The table of a corpus's archives: addresses, contents, checksums."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from alone_experiments.corpora.raw_text import PARTS
from alone_experiments.mistakes import Mistake, explain


@dataclass(frozen=True)
class Archive:
    """One archive; ``data-prep/wmt16_en_de.toml`` describes the fields.

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


def read_catalogue(path: Path) -> list[Archive]:
    """Read a table of archives.

    Args:
        path: A TOML file with a list ``archive``.

    Returns:
        The archives in the order of the file.

    Raises:
        Mistake: If the file cannot be read or is no such table.
    """
    try:
        with path.open("rb") as file:
            entries = tomllib.load(file).get("archive", [])
        archives = [Archive(**entry) for entry in entries]
    except OSError as error:
        raise Mistake(explain(error, path)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Mistake(f"{path} is no TOML file: {error}") from error
    except (TypeError, AttributeError) as error:
        known = ", ".join(field.name for field in fields(Archive))
        raise Mistake(
            f"{path}: {error}; each [[archive]] has some of the fields {known}"
        ) from error
    _check(path, archives)
    return archives


def _check(path: Path, archives: list[Archive]) -> None:
    missing = sorted(set(PARTS) - {archive.part for archive in archives})
    if missing:
        raise Mistake(f"{path} has no archive for {', '.join(missing)}")
    for archive in archives:
        if archive.part not in PARTS:
            raise Mistake(
                f"{path}: the part of {archive.file} is {archive.part!r}; it must be"
                f" one of {', '.join(PARTS)}"
            )
        if len(archive.members) != len(archives[0].members):
            raise Mistake(f"{path}: a language of {archive.file} is missing")
