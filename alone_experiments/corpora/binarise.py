"""Subword units to fairseq's binary data."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from alone_experiments.corpora.description import PARTS
from alone_experiments.files import partial
from alone_experiments.mistakes import Mistake

SPECIAL = 4
"""Entries that every dictionary of fairseq has and its file does not list."""


def preprocess(
    units: Path,
    languages: Sequence[str],
    binary: Path,
    workers: int,
    entries: int = 0,
    parts: Sequence[str] = PARTS,
    dictionaries: Path | None = None,
) -> None:
    """Run ``fairseq-preprocess`` with one dictionary for both languages.

    Args:
        units: Folder of ``<part>.<language>``.
        languages: Source and target.
        binary: Folder to write; replaced when the new one is whole. What the command
            says goes to the end of ``prepare.log`` beside it.
        workers: Processes; the result is the same with any number.
        entries: Most entries of the dictionary, special ones included; 0 = no limit.
        parts: What is there.
        dictionaries: Folder of ``dict.<language>.txt`` to take in place of a new one.

    Raises:
        Mistake: If it fails.
    """
    unfinished, log = partial(binary), binary.with_name("prepare.log")
    shutil.rmtree(unfinished, ignore_errors=True)
    # The fairseq of this Python, whatever is first on PATH.
    command = [sys.executable, "-P", "-m", "fairseq_cli.preprocess"]
    command += ["--source-lang", languages[0], "--target-lang", languages[1]]
    for part in parts:
        command += [f"--{part}pref", str(units / part)]
    if dictionaries is None:
        command += ["--joined-dictionary"]
    else:
        for side, language in zip(("src", "tgt"), languages, strict=True):
            command += [f"--{side}dict", str(dictionaries / f"dict.{language}.txt")]
    if entries:
        command += ["--nwordssrc", str(entries), "--nwordstgt", str(entries)]
    with log.open("ab") as said:
        status = subprocess.run(
            [*command, "--destdir", str(unfinished), "--workers", str(workers)],
            stdout=said,
            stderr=subprocess.STDOUT,
            check=False,
            # The lock of the folder is held as long as this works in it.
            close_fds=False,
        ).returncode
    if status:
        shutil.rmtree(unfinished, ignore_errors=True)
        last = log.read_text(errors="replace").rstrip().rpartition("\n")[2]
        raise Mistake(f"fairseq-preprocess failed: {last}; all it said: {log}")
    shutil.rmtree(binary, ignore_errors=True)
    unfinished.rename(binary)


def dictionary_entries(binary: Path) -> int:
    """Count the entries of the dictionary: the rows that a model's embedding gets."""
    dictionary = next(binary.glob("dict.*.txt"))
    return dictionary.read_bytes().count(b"\n") + SPECIAL
