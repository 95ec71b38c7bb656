"""Files that are either whole or not there."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import AloneError


def write_whole(path: str | Path, text: str) -> None:
    """Write a file under a temporary name, then give it its own.

    Args:
        path: The file; one of that name is replaced.
        text: What it shall hold, written as UTF-8 with the line ends as they are.

    Raises:
        AloneError: If it cannot be written.
    """
    partial = Path(f"{path}.partial")
    try:
        partial.write_text(text, encoding="utf-8", newline="")
        os.replace(partial, path)
    except OSError as error:
        raise AloneError(f"cannot write {path}: {error.strerror}") from error
