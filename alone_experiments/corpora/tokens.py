"""Raw text to tokens: Moses normalisation and tokenisation, by sacremoses.

The steps are those of fairseq's preparation of the WMT corpora: normalise punctuation,
put a space for what cannot be printed, tokenise. Characters that cannot be printed go
first here, since among them are all that some program takes for the end of a line.
Hyphens are not split off (Moses without ``-a``), as with the other corpora here.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

import regex
from sacremoses import MosesPunctNormalizer, MosesTokenizer

from alone_experiments import files, lines
from alone_experiments.corpora.parallel import ordered_map
from alone_experiments.corpora.progress import line_bar

CHUNK = 2000
"""Lines that a worker takes at once."""

_UNPRINTABLE = regex.compile(r"[\p{C}\p{Zl}\p{Zp}]")


@functools.cache
def _moses(language: str) -> tuple[MosesPunctNormalizer, MosesTokenizer]:
    return MosesPunctNormalizer(language), MosesTokenizer(language)


def printable(line: bytes) -> str:
    r"""Decode a line; what cannot be printed becomes a space, as in Moses.

    Args:
        line: UTF-8; a carriage return at its end counts as what cannot be printed.

    Returns:
        The text, on one line for any program.

    Raises:
        UnicodeDecodeError: If it is not UTF-8.
    """
    return str(_UNPRINTABLE.sub(" ", line.decode()))


def tokenise(text: str, language: str) -> str:
    r"""Normalise and tokenise one sentence.

    Args:
        text: The sentence, as :func:`printable` returns it.
        language: Two letters.

    Returns:
        Tokens with one space between them, in Moses' escaped form; ``""`` where nothing
        is left.
    """
    normaliser, tokeniser = _moses(language)
    # Some of Moses' rules need the line feed.
    normal = normaliser.normalize(text + "\n")
    return str(tokeniser.tokenize(normal, return_str=True))


def tokenise_line(line: bytes, language: str) -> str | None:
    """Decode and tokenise one line.

    Args:
        line: UTF-8.
        language: Two letters.

    Returns:
        Its tokens; ``None`` if it is not UTF-8.
    """
    try:
        return tokenise(printable(line), language)
    except UnicodeDecodeError:
        return None


@dataclass(frozen=True)
class _Tokenised:
    """What a worker made of a chunk of lines."""

    text: bytes
    lines: int
    undecodable: list[int]


def _tokenise_chunk(language: str, chunk: list[bytes]) -> _Tokenised:
    found = [tokenise_line(line, language) for line in chunk]
    text = "".join(f"{tokens or ''}\n" for tokens in found)
    bad = [number for number, tokens in enumerate(found) if tokens is None]
    return _Tokenised(text.encode(), len(chunk), bad)


def tokenise_file(raw: Path, tokens: Path, language: str, workers: int) -> list[int]:
    """Tokenise a file, line by line.

    Args:
        raw: The file to read.
        tokens: The file to write; as many lines, empty where the text is not UTF-8.
        language: Two letters.
        workers: Processes.

    Returns:
        Numbers of the lines that are not UTF-8, from 1.

    Raises:
        Mistake: If the file cannot be written.
    """
    total, done, bad = lines.count_lines(raw), 0, []
    work = functools.partial(_tokenise_chunk, language)
    chunks = lines.chunks(raw, CHUNK)
    with (
        line_bar(total, f"tokenising {raw.name}") as bar,
        files.writing(tokens) as file,
    ):
        for result in ordered_map(work, chunks, workers):
            file.write(result.text)
            bad += [done + number + 1 for number in result.undecodable]
            done += result.lines
            bar.update(result.lines)
    return bad
