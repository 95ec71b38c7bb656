"""Articles as subword units and titles as characters, then fairseq's binary data."""

from __future__ import annotations

import contextlib
import functools
import io
import sys
from collections import Counter
from pathlib import Path

from subword_nmt.learn_bpe import learn_bpe

from alone_experiments.corpora import binarise
from alone_experiments.corpora.description import PARTS
from alone_experiments.corpora.given_text import text_lines
from alone_experiments.corpora.headlines.headline_pairs import SIDES
from alone_experiments.corpora.job import Job
from alone_experiments.corpora.raw_text import count_pairs
from alone_experiments.files import write_text
from alone_experiments.lines import sha256, write_parallel
from alone_experiments.mistakes import Mistake
from alone_experiments.steps import made_by
from alone_experiments.text import characters, subwords


def prepare(job: Job) -> None:
    """Prepare a corpus whose raw text is there.

    With ``--training`` only a test set is prepared, with the subword units and the
    dictionary of that corpus.

    Raises:
        Mistake: If the raw text is not as it should be, or a step fails.
    """
    training: Path | None = job.settings.training
    parts = PARTS if training is None else ("test",)
    for part in parts:
        count_pairs(job.raw, part, SIDES)
    units = job.folder / "bpe"
    if training is None:
        codes, learned = units / "codes", _learn(job)
    else:
        codes, learned = training / "bpe" / "codes", _key_of(training)
    made = [_convert(job, part, codes, learned) for part in parts]
    dictionaries = None if training is None else training / "bin"
    make = functools.partial(
        binarise.preprocess,
        *(units, SIDES, job.folder / "bin", job.settings.workers),
        parts=parts,
        dictionaries=dictionaries,
    )
    depends = {"units": made, "by": made_by(binarise, "fairseq-fixed")}
    message = "writing fairseq's binary data"
    job.steps.run("binary", [job.folder / "bin"], depends, make, message)


def _learn(job: Job) -> str:
    article, codes = job.raw / "train.article", job.folder / "bpe" / "codes"
    vocabulary = job.settings.vocabulary
    depends = {
        "article": sha256(article),
        "vocabulary": vocabulary,
        "by": made_by(characters, subwords, "subword-nmt"),
    }
    make = functools.partial(learn, article, codes, vocabulary)
    message = f"learning {vocabulary:,} subword units on the articles"
    return job.steps.run("segmentation", [codes], depends, make, message)


def _key_of(training: Path) -> str:
    files = [training / "bpe" / "codes"]
    files += [training / "bin" / f"dict.{side}.txt" for side in SIDES]
    for file in files:
        if not file.is_file():
            raise Mistake(f"--training: no {file}; prepare that corpus first")
    return " ".join(map(sha256, files))


def _convert(job: Job, part: str, codes: Path, learned: str) -> str:
    raw = [job.raw / f"{part}.{side}" for side in SIDES]
    units = [job.folder / "bpe" / file.name for file in raw]

    def make() -> None:
        split = subwords.Subwords(codes).split
        for change, text, file in zip(
            (split, characters.to_characters), raw, units, strict=True
        ):
            lines = text_lines(text, progress=True)
            write_parallel([file], ((change(line),) for line in lines))

    depends = {
        "learned": learned,
        "raw": [sha256(file) for file in raw],
        "by": made_by(characters, subwords),
    }
    message = "splitting articles into subword units, titles into characters"
    first = part in ("train", "test")
    return job.steps.run(part, units, depends, make, message if first else None)


def learn(article: Path, codes: Path, vocabulary: int) -> None:
    """Learn byte-pair merges on the source side alone.

    Args:
        article: Training articles.
        codes: The file of merges to write.
        vocabulary: Number of subword units wanted, characters included.

    Raises:
        Mistake: If the characters alone are that many.
    """
    words: Counter[str] = Counter()
    for line in text_lines(article, progress=True):
        words.update(subwords.protect(line).split(" "))
    del words[""]
    # subword-nmt takes a dictionary as lines of words and counts, in their order.
    counted = [f"{word} {count}\n" for word, count in sorted(words.items())]
    learned = io.StringIO()
    with quiet_without_terminal():
        learn_bpe(counted, learned, vocabulary, is_dict=True, total_symbols=True)
    # The first line is a version.
    if learned.getvalue().count("\n") < 2:
        raise Mistake(
            f"--vocabulary {vocabulary} is too small for the characters of {article};"
            " ask for more"
        )
    write_text(codes, learned.getvalue())


def quiet_without_terminal() -> contextlib.AbstractContextManager[object]:
    """Keep subword-nmt's progress, which it always shows, out of logs."""
    if sys.stderr.isatty():
        return contextlib.nullcontext()
    return contextlib.redirect_stderr(io.StringIO())
