"""What the folder of a run says of it: its command, its code, how far it has come."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import ndiff
from pathlib import Path

from alone_experiments.files import write_text
from alone_experiments.lines import read_lines, sha256
from alone_experiments.mistakes import Mistake
from alone_experiments.provenance import describe_code
from alone_experiments.repository import ROOT

_SAVED = re.compile(r"Saved checkpoint .* @ (\d+) updates")

_MAY_CHANGE = re.compile(
    "--(max-update|save-dir|log-interval|num-workers|tensorboard-logdir|master-addr"
    "|master-port|node-rank)"
)
"""Flags with a value that need not stay the same when a run is carried on."""


def saved_updates(run: Path) -> int:
    """Read how many updates the newest checkpoint of a run has behind it, 0 if none."""
    log = run / "train.log"
    if not (run / "checkpoint_last.pt").is_file() or not log.is_file():
        return 0
    with log.open(encoding="utf-8", errors="replace") as lines:
        found = [match[1] for line in lines if (match := _SAVED.search(line))]
    return int(found[-1]) if found else 0


def is_complete(run: Path, max_update: int | None) -> bool:
    """Whether a run has all the updates that are wanted.

    Args:
        run: Its folder.
        max_update: The number wanted; ``None`` where something else ends the training.

    Raises:
        Mistake: If it has more.
    """
    if max_update is None:
        return (run / "finished").is_file()
    saved = saved_updates(run)
    if saved > max_update:
        raise Mistake(
            f"{run} has {saved} updates already, more than {max_update}; remove it, or"
            " choose another --save-dir"
        )
    return saved == max_update


def check_same_run(run: Path, command: Sequence[str]) -> None:
    """Check that a folder holds nothing, or the beginning of the same run.

    Args:
        run: The folder.
        command: What would be run there.

    Raises:
        Mistake: If it holds a run with other flags.
    """
    file = run / "command"
    if not file.is_file():
        return
    before, now = identity(read_lines(file)), identity(command)
    if before != now:
        changes = [line for line in ndiff(before, now) if line[0] in "-+"]
        raise Mistake(
            f"{run} holds a run with other flags ({' '.join(changes)}); remove it, or"
            " choose another --save-dir"
        )


def check_same_data(run: Path, corpus: Path) -> None:
    """Check that a run was begun with the dictionaries that a corpus has now.

    These count all words of the training text, so that it can hardly have changed
    where they have not.

    Args:
        run: The folder of the run.
        corpus: The prepared corpus.

    Raises:
        Mistake: If they are others.
    """
    file = run / "dictionaries"
    if file.is_file() and file.read_text(encoding="utf-8") != _dictionaries(corpus):
        raise Mistake(
            f"{run} holds a run of other data than {corpus} has now; remove it, or"
            " choose another --save-dir"
        )


def keep_data(run: Path, corpus: Path) -> None:
    """Keep what :func:`check_same_data` compares."""
    write_text(run / "dictionaries", _dictionaries(corpus))


def _dictionaries(corpus: Path) -> str:
    files = sorted((corpus / "bin").glob("dict.*.txt"))
    return "".join(f"{sha256(file)}  {file.name}\n" for file in files)


def identity(command: Sequence[str]) -> list[str]:
    """Pick the words of a command that must stay when its run is carried on."""
    values = (word for word in command)
    kept: list[str] = []
    for word in values:
        flag, equals, _ = word.partition("=")
        if _MAY_CHANGE.fullmatch(flag):
            if not equals:
                next(values, None)
        elif word != "--cpu":
            kept.append(word)
        # A GPU is told that it is alone; CPUs are not.
        if kept[-2:] == ["--distributed-world-size", "1"]:
            del kept[-2:]
    return kept


def begin(run: Path, command: Sequence[str]) -> None:
    """Keep the command of a run, and the code it is trained with.

    The commit counts as changed where the run began with another one, too.
    """
    write_text(run / "command", "".join(f"{word}\n" for word in command))
    commit, dirty = describe_code(ROOT)
    line = f"{commit} {'dirty' if dirty else 'clean'}\n"
    code = run / "code"
    if code.is_file() and code.read_text(encoding="utf-8") != line:
        line = f"{commit} dirty\n"
    write_text(code, line)


def finish(run: Path) -> None:
    """Note that the training of a run has ended by itself."""
    write_text(run / "finished", f"{saved_updates(run)} updates\n")
