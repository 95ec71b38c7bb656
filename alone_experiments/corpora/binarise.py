"""Subword units to fairseq's binary data."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from alone_experiments.files import partial
from alone_experiments.mistakes import Mistake

SPECIAL = 4
"""Entries that every dictionary of fairseq has and its file does not list."""


def preprocess(
    units: Path,
    languages: Sequence[str],
    binary: Path,
    entries: int,
    workers: int,
    log: Path,
) -> None:
    """Run ``fairseq-preprocess`` with one dictionary for both languages.

    Args:
        units: Folder of ``{train,valid,test}.<language>``.
        languages: Source and target.
        binary: Folder to write; replaced when the new one is whole.
        entries: Most entries of the dictionary, special ones included; 0 = no limit.
        workers: Processes; the result is the same with any number.
        log: What the command says goes to the end of this file.

    Raises:
        Mistake: If it fails.
    """
    unfinished = partial(binary)
    shutil.rmtree(unfinished, ignore_errors=True)
    command = ["fairseq-preprocess", "--joined-dictionary", "--workers", str(workers)]
    command += ["--source-lang", languages[0], "--target-lang", languages[1]]
    for part in ("train", "valid", "test"):
        command += [f"--{part}pref", str(units / part)]
    if entries:
        command += ["--nwordssrc", str(entries), "--nwordstgt", str(entries)]
    with log.open("ab") as said:
        status = subprocess.run(
            [*command, "--destdir", str(unfinished)],
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


def dictionary_entries(binary: Path, language: str) -> int:
    """Count the entries of a dictionary: the rows that a model's embedding gets."""
    lines = (binary / f"dict.{language}.txt").read_bytes().count(b"\n")
    return lines + SPECIAL
