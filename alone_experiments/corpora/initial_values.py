"""Embeddings fitted to word vectors, for translation models to start from."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from alone_experiments.corpora.job import Job
from alone_experiments.mistakes import Mistake, say

GLOVE = "glove"
"""In place of a file: what was fitted before, else the corpus of that name."""


def check(vectors: str) -> None:
    """Make sure that there are vectors, before work is spent on the corpus.

    Raises:
        Mistake: If there is no such file.
    """
    if vectors != GLOVE and not Path(vectors).is_file():
        raise Mistake(f"--vectors: no file {vectors}")


def fit(job: Job) -> None:
    """Fit all embeddings of the description to the words that the dictionary has whole.

    Raises:
        Mistake: If the vectors cannot be read, or other ones were fitted before.
    """
    fits, vectors = job.description.initial_values, Path(job.settings.vectors)
    if job.settings.vectors == GLOVE:
        if all((job.folder / f"{fitted.name}.json").is_file() for fitted in fits):
            say(f"initial values in {job.folder} are there already")
            return
        vectors = _glove()
    dictionary = job.folder / "bin" / f"dict.{job.settings.source}.txt"
    for fitted in fits:
        say(f"fitting {fitted.name} to word vectors")
        output = job.folder / f"{fitted.name}.pt"
        words = [vectors, "--dictionary", dictionary, "--output", output]
        words += ["--json", output.with_suffix(".json"), *fitted.flags]
        # On its own, so that its record has its command.
        command = [sys.executable, "-P", "-m", "alone_experiments", "reconstruct"]
        if subprocess.run([*command, *map(str, words)], check=False).returncode:
            raise Mistake(f"{output} was not fitted; the reason is above")
        say(f"initial values: {output}")


def _glove() -> Path:
    from alone_experiments.corpora.description import find_description
    from alone_experiments.corpora.options import parse
    from alone_experiments.corpora.prepare import prepare

    description = find_description("glove")
    settings = parse(description, [])
    prepare(description, settings)
    folder: Path = settings.output
    return folder / description.text[0].to
