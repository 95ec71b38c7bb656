"""DUC-2004 task 1: one source and four reference headlines a document.

From NIST's files the source is made as Rush et al. (2015) make it, but for the model
that finds the first sentence (see ``first_sentence``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from alone_experiments.corpora.given_text import find, text_lines
from alone_experiments.corpora.headlines.first_sentence import sentences
from alone_experiments.corpora.headlines.treebank import tokenise
from alone_experiments.mistakes import Mistake

REFERENCES = 4
_SHORT = 130
_DOCUMENT_SET = re.compile(r"d\d{5}t", re.IGNORECASE)
# Of people: the systems that took part have numbers in place of a letter.
_REFERENCE = re.compile(r"(D\d{5})\.P\.10\.T\.[A-Z]\.(.+)")
_DATELINE_END = re.compile(r" (?:--|-|_) ")
FOLDERS = (".", "DUC2004", "duc2004", "references")


@dataclass(frozen=True)
class Document:
    """One document of the task.

    Attributes:
        source: Its first sentence, as tokens in lower case.
        references: Its four headlines, as they were written.
    """

    source: str
    references: tuple[str, ...]


def read(folder: Path) -> Iterator[Document]:
    """Read the task from ``input.txt`` and ``task1_ref0.txt`` ..., or NIST's files.

    Args:
        folder: Where they are.

    Yields:
        The documents, in the order of the lines, or of the documents' paths.

    Raises:
        Mistake: If a file is missing, damaged or does not fit the others.
    """
    for place in FOLDERS:
        if find(folder / place, "input.txt"):
            yield from _from_lines(folder, folder / place)
            return
    yield from _from_nist(folder)


def _from_lines(folder: Path, place: Path) -> Iterator[Document]:
    names = [f"task1_ref{number}.txt" for number in range(REFERENCES)]
    paths = [find(place, "input.txt")]
    paths += [
        find(place, name)
        or find(folder, name)
        or find(folder / "references", name)
        or find(place / "references", name)
        for name in names
    ]
    if None in paths:
        raise Mistake(
            f"{place} has no {['input.txt', *names][paths.index(None)]};"
            f" it needs input.txt and {' '.join(names)}"
        )
    rows = [list(text_lines(path)) for path in paths if path]
    for path, row in zip(paths, rows, strict=True):
        if len(row) != len(rows[0]):
            raise Mistake(f"{path} has {len(row)} lines, {paths[0]} {len(rows[0])}")
        if blank := next((i for i, line in enumerate(row, 1) if not line.strip()), 0):
            raise Mistake(f"{path} line {blank} is empty; get the file again")
    for source, *references in zip(*rows, strict=True):
        yield Document(" ".join(source.split()), tuple(map(str.strip, references)))


def _from_nist(folder: Path) -> Iterator[Document]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    documents = [path for path in files if _DOCUMENT_SET.fullmatch(path.parent.name)]
    if not documents:
        raise Mistake(
            f"{folder} has neither input.txt nor NIST's documents"
            " (docs/d30001t/APW19981016.0240 ...); give the folder that holds them"
        )
    # The same file may be there twice, in the folders of two evaluations.
    models: dict[str, dict[str, Path]] = {}
    for path in files:
        if found := _REFERENCE.fullmatch(path.name):
            models.setdefault(f"{found[1]}/{found[2]}", {})[path.name] = path
    for document in documents:
        key = f"{document.parent.name.upper()[:-1]}/{document.name}"
        yield Document(
            source_of(document), _references(models.get(key, {}), document, folder)
        )


def _references(
    found: dict[str, Path], document: Path, folder: Path
) -> tuple[str, ...]:
    if len(found) != REFERENCES:
        pattern = f"{document.parent.name.upper()[:-1]}.P.10.T.?.{document.name}"
        raise Mistake(
            f"{document} has {len(found)} reference headlines instead of {REFERENCES}:"
            f" {folder} needs {REFERENCES} files {pattern} (eval/models/1)"
        )
    return tuple(_headline(found[name]) for name in sorted(found))


def _headline(path: Path) -> str:
    text = " ".join(" ".join(text_lines(path)).split())
    if not text or re.match(r"<\w", text):
        what = "is empty" if not text else "holds markup"
        raise Mistake(f"{path} {what}; give NIST's plain reference headlines")
    return text


def source_of(document: Path) -> str:
    """Make the source line of one of NIST's documents.

    Args:
        document: A file with a ``<TEXT>``.

    Returns:
        Its first sentence, with the second where that is short, as tokens in lower
        case, without its dateline where that ends in a bracket.

    Raises:
        Mistake: If the file has no text.
    """
    found = re.search(r"<TEXT>(.*?)</TEXT>", "\n".join(text_lines(document)), re.DOTALL)
    text = re.sub(r"</?[A-Za-z][^>]*>", " ", found[1]) if found else ""
    text = " ".join(word for word in text.split() if not word.startswith("&"))
    first = sentences(text)
    if not first:
        raise Mistake(f"{document} has no <TEXT> with a sentence; get it again")
    source = first[0]
    if len(source) < _SHORT and len(first) > 1:
        source = f"{source[:-1]} , {first[1]}"
    return _without_dateline(tokenise(source.lower()))


def _without_dateline(source: str) -> str:
    if ")" in source and (end := _DATELINE_END.search(source)):
        source = source[end.end() :]
    source = source.replace("(", "-lrb-").replace(")", "-rrb-")
    return source.replace("_", ",")
