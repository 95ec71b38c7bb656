"""Folders of many large files, of which only a listing is compared."""

from __future__ import annotations

from pathlib import Path


def listing(folder: Path) -> list[list[object]]:
    """List all files below a folder.

    Args:
        folder: The folder.

    Returns:
        Name, size and time of each, in place of checksums, for which all of them would
        have to be read again.
    """
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [
        [str(path.relative_to(folder)), (stat := path.stat()).st_size, stat.st_mtime_ns]
        for path in files
    ]
