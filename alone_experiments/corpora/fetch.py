"""The files of a corpus: given by the user, or downloaded."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from alone_experiments.corpora.download import download
from alone_experiments.mistakes import Mistake, say


@dataclass(frozen=True)
class Source:
    """Where files come from.

    Attributes:
        downloads: Folder for what is downloaded.
        given: The user's folder with the files, or ``None`` to download them.
        url: Address of a folder to download from in place of the published one.
    """

    downloads: Path
    given: Path | None = None
    url: str | None = None

    def find(
        self, names: Sequence[str], address: str, hint: str, keep: str | None = None
    ) -> Path:
        """Find a file, and download it if need be.

        Args:
            names: What a given file may be called.
            address: Where to download it from.
            hint: What to say of a file that is not in the given folder.
            keep: Name of a downloaded file, if it is not that of the address.

        Returns:
            The file, not checked.

        Raises:
            Mistake: If there is none.
        """
        if self.given is not None:
            for name in names:
                if (self.given / name).is_file():
                    return self.given / name
            raise Mistake(f"{self.given} has no file {' or '.join(names)}; {hint}")
        kept = self.downloads / (keep or address.rpartition("/")[2])
        if not kept.exists():
            say(f"downloading {kept.name}")
            try:
                download(address, kept)
            except Mistake as error:
                raise Mistake(
                    f"{error}; run this again, or give the files with --from DIR"
                ) from error
        return kept

    def discard(self, file: Path) -> str:
        """Remove a file that turned out to be wrong, if we downloaded it.

        Returns:
            The remedy.
        """
        if self.given is not None:
            return "get the published file"
        file.unlink(missing_ok=True)
        return "it was removed; run the same command again to download it again"


def checksum(path: Path, name: str) -> str:
    """Compute a checksum of a file.

    Args:
        path: The file.
        name: ``sha256`` or ``md5``.

    Returns:
        The checksum in hexadecimal.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, name).hexdigest()
