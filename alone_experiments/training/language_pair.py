"""The languages of a corpus, as the names of its files say."""

from __future__ import annotations

import re
from pathlib import Path

from alone_experiments.mistakes import Mistake


def language_pair(binary: Path) -> tuple[str, str]:
    """Find the languages of what ``fairseq-preprocess`` wrote.

    Args:
        binary: Its folder.

    Returns:
        Source and target.

    Raises:
        Mistake: If there is no training set, or several.
    """
    found = {
        match.groups()
        for file in binary.glob("train.*")
        if (match := re.fullmatch(r"train\.([^.-]+)-([^.-]+)\.[^.]+\.idx", file.name))
    }
    if len(found) != 1:
        what = "no training set" if not found else "training sets of several languages"
        raise Mistake(f"{binary} has {what}: give what fairseq-preprocess wrote")
    source, target = found.pop()
    return source, target
