"""The text of the toy corpus, made on the spot."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

from alone_experiments.corpora import toy
from alone_experiments.corpora.description import PARTS
from alone_experiments.corpora.job import Job
from alone_experiments.corpora.toy.corpus import write_corpus
from alone_experiments.lines import sha256
from alone_experiments.steps import made_by


def write_raw(job: Job) -> None:
    """Write ``raw/{train,valid,test}.{en,de}``, unless that is done.

    Raises:
        Mistake: If the file of words and rules cannot be understood.
    """
    words = job.description.path.parent / job.settings.words
    job.steps.run(
        "raw",
        raw_files(job.raw),
        depends(words),
        lambda: write_text(job.folder, words),
        "writing the toy corpus",
    )


def raw_files(raw: Path) -> list[Path]:
    """Name the files."""
    return [raw / f"{part}.{language}" for part in PARTS for language in ("en", "de")]


def depends(words: Path) -> dict[str, object]:
    """Say what the text depends on: the words and the generator."""
    found = [module.name for module in pkgutil.iter_modules(toy.__path__)]
    names = [name for name in found if name != "__main__"]  # starts it
    modules = [importlib.import_module(f"{toy.__name__}.{name}") for name in names]
    return {"words": sha256(words), "by": made_by(*modules)}


def write_text(folder: Path, words: Path) -> str:
    """Write the text and say how much it is."""
    corpus = write_corpus(folder, words)
    sizes = (f"{len(pairs):,} {part}" for part, pairs in corpus.items())
    return f"pairs: {', '.join(sizes)}"
