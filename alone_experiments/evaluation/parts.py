"""The parts of an evaluation: commands, done once and again when they differ."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from alone_experiments.children import Children
from alone_experiments.files import write_text, writing_folder
from alone_experiments.lines import sha256
from alone_experiments.mistakes import Mistake
from alone_experiments.repository import shown
from alone_experiments.steps import Steps


@dataclass(frozen=True)
class Part:
    """A command, and what makes its result another one.

    Attributes:
        name: Of the part; unique in its evaluation.
        command: The program and its arguments.
        files: What it writes.
        after: Names of the parts whose files it reads.
        sources: What it depends on beside these and its command.
        message: What to say before it begins.
        folder: The folder it writes, if that is to appear as a whole; the command is
            told its provisional name.
        report: Pattern of the lines of its output that are worth telling.
        remarks: Arguments at the end of its command that leave what it did valid.
    """

    name: str
    command: Sequence[str]
    files: Sequence[Path]
    after: Sequence[str] = ()
    sources: Mapping[str, object] = field(default_factory=dict)
    message: str | None = None
    folder: Path | None = None
    report: str | None = None
    remarks: Sequence[str] = ()

    @property
    def words(self) -> list[str]:
        """The whole command."""
        return [*self.command, *self.remarks]


def do_parts(parts: Sequence[Part], folder: Path, children: Children) -> bool:
    """Do what is not done already.

    Args:
        parts: The parts in their order.
        folder: Folder of the run, which gets a log and notes of what is done.
        children: Runs the commands.

    Returns:
        Whether there was anything to do.

    Raises:
        Mistake: If a command fails.
    """
    finished = folder / "evaluated"
    steps = Steps(folder / "evaluation", finished)
    keys: dict[str, str] = {}
    for part in parts:
        depends = {
            "command": list(part.command),
            "after": [keys[name] for name in part.after],
            "sources": dict(part.sources),
        }
        make = partial(_make, part, folder / "evaluation.log", children)
        keys[part.name] = steps.run(part.name, part.files, depends, make, part.message)
    write_text(finished, "")
    return bool(steps.done)


def _make(part: Part, log: Path, children: Children) -> str | None:
    if part.folder is None:
        return _attempt(part, log, children)
    with writing_folder(part.folder):
        return _attempt(part, log, children)


def _attempt(part: Part, log: Path, children: Children) -> str | None:
    """Run a command; what it says is in a log, and shown only if it fails."""
    with log.open("wb") as said:
        status = children.run(part.words, said, said)
    text = log.read_text(encoding="utf-8", errors="replace").rstrip("\n")
    if status:
        last = text.rpartition("\n")[2]
        raise Mistake(f"{part.command[0]} failed: {last}; all it said: {shown(log)}")
    if part.report is None:
        return None
    found = [line for line in text.split("\n") if re.match(part.report, line)]
    return "\n".join(found) or None


def state_of_checkpoints(files: Sequence[Path]) -> dict[str, list[int]]:
    """Tell checkpoints from later ones of the same name, without reading them."""
    return {file.name: [file.stat().st_size, file.stat().st_mtime_ns] for file in files}


def state_of_corpus(corpus: Path) -> dict[str, str]:
    """Give the checksums of what a test set's output depends on, as far as it is there.

    Args:
        corpus: Folder of the prepared corpus.

    Returns:
        The checksums of its test texts and dictionaries by their names.
    """
    files = sorted([*corpus.glob("raw/test.*"), *corpus.glob("bin/dict.*.txt")])
    return {file.name: sha256(file) for file in files}
