"""How often each word of tokenised text occurs: all that segmentations learn from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from alone_experiments.corpora.progress import byte_bar
from alone_experiments.files import writing


def count_words(files: Iterable[Path]) -> Counter[str]:
    """Count the words of tokenised files.

    Args:
        files: UTF-8, one sentence a line, one space between tokens.

    Returns:
        The counts over all files. Memory grows with the number of different words, not
        with the text.
    """
    counts: Counter[str] = Counter()
    for path in files:
        with path.open("rb") as file, byte_bar(path.stat().st_size, path.name) as bar:
            for line in file:
                counts.update(line.rstrip(b"\n").decode().split(" "))
                bar.update(len(line))
    counts.pop("", None)
    return counts


def write_counts(counts: Counter[str], path: Path, separator: str = " ") -> None:
    """Write counts, the most frequent first, ties in the order of code points.

    Args:
        counts: Words and how often they occur.
        path: The file: a word, the separator and its count a line.
        separator: What stands between them.

    Raises:
        Mistake: If the file cannot be written.
    """
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    with writing(path) as file:
        for word, count in ordered:
            file.write(f"{word}{separator}{count}\n".encode())
