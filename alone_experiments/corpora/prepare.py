"""``alone-fairseq prepare``: from published files to what fairseq reads."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from types import ModuleType

from alone_experiments.corpora import initial_values, own_texts
from alone_experiments.corpora.binarise import dictionary_entries
from alone_experiments.corpora.description import (
    Description,
    corpora,
    find_description,
)
from alone_experiments.corpora.job import Job
from alone_experiments.corpora.options import parse
from alone_experiments.files import write_text
from alone_experiments.lines import read_lines
from alone_experiments.locks import locked
from alone_experiments.mistakes import Mistake, say

RAW = {
    "texts": "texts",
    "archives": "archives",
    "toy": "toy_text",
    "headlines": "headlines.headline_pairs",
    "gigaword": "headlines.gigaword_pairs",
    "duc2004": "headlines.duc2004_pairs",
    "given": "raw_text",
}
"""Where raw text comes from: modules with ``write_raw(job)``."""

OWN = "own_translation"
"""The description for two text files of a user's."""

UNITS = {"translation": "translation", "headlines": "headlines.headline_units"}
"""What becomes of it: modules with ``prepare(job)``."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take the name of a corpus; its own options depend on its description."""
    known = "\n".join(f"  {name:20} {title}" for name, title in corpora().items())
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = f"corpora:\n{known}\n\nprepare CORPUS --help tells its options."
    parser.add_argument(
        "corpus",
        metavar="CORPUS",
        help="one of these, a file CORPUS.toml, or two text files of yours, such as"
        " captions.en captions.fr, whose lines belong together",
    )
    parser.add_argument("options", nargs=argparse.REMAINDER, metavar="...")


def run(arguments: argparse.Namespace) -> None:
    """Prepare a corpus; the same command carries on where a kill stopped it.

    Raises:
        Mistake: If files are missing or wrong, or a step fails.
    """
    corpus, words = arguments.corpus, arguments.options
    if Path(corpus).is_file() and not corpus.endswith(".toml"):
        if not words or words[0].startswith("-"):
            raise Mistake(f"{corpus} needs the text of the other language beside it")
        corpus, words = (
            OWN,
            own_texts.words_for(Path(corpus), Path(words[0]), words[1:]),
        )
    elif words and not words[0].startswith("-") and corpus not in corpora():
        raise Mistake(f"no file {corpus}")
    description = find_description(corpus)
    prepare(description, parse(description, words))


def prepare(description: Description, settings: argparse.Namespace) -> None:
    """Do all steps for a corpus that are not done.

    Args:
        description: The corpus.
        settings: What :func:`.options.parse` returned.

    Raises:
        Mistake: If files are missing or wrong, or a step fails.
    """
    job = Job.of(description, settings)
    raw = _module(description, "raw", RAW, description.raw)
    units = description.units and _module(
        description, "units", UNITS, description.units
    )
    if settings.vectors is not None:
        initial_values.check(settings.vectors)
    with locked(job.folder):
        raw.write_raw(job)
        if job.report.is_file():
            for line in read_lines(job.report):
                say(line)
        if units:
            units.prepare(job)
            _finish(job)
        if settings.vectors is not None:
            initial_values.fit(job)


def _module(
    description: Description, field: str, modules: dict[str, str], key: str
) -> ModuleType:
    if key not in modules:
        known = " or ".join(modules)
        raise Mistake(f"{description.path}: {field} is {key!r}; it must be {known}")
    return importlib.import_module(f"alone_experiments.corpora.{modules[key]}")


def _finish(job: Job) -> None:
    if not job.steps.done and job.steps.finished.exists():
        say(f"{job.folder} is prepared already")
        return
    write_text(job.steps.finished, "binary data: bin\n")
    entries = dictionary_entries(job.folder / "bin")
    say(f"prepared {job.folder / 'bin'}: a dictionary of {entries:,} entries")
