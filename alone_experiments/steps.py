"""Steps of a chain that are done once, and again when what they depend on changes."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

from alone_experiments.files import write_json
from alone_experiments.mistakes import say

Report = str | None


class Steps:
    """The stamps of the steps that are done.

    A stamp is removed before its step begins and written when all files of the step are
    in place, so that a kill at any moment leaves either a finished step or one to redo.

    Args:
        folder: Where the stamps are.
        finished: The file that tells others that all steps are done; removed as soon as
            one of them begins.
    """

    def __init__(self, folder: Path, finished: Path) -> None:
        """Take the stamps of earlier runs as they are; see the class."""
        self.folder, self.finished = folder, finished
        self.done: list[str] = []
        """Names of the steps that this run did."""

    def run(
        self,
        name: str,
        files: Sequence[Path],
        depends: Mapping[str, object],
        make: Callable[[], Report],
        message: str | None = None,
    ) -> str:
        """Do a step unless it is done.

        Args:
            name: Name of the step.
            files: What it writes.
            depends: What the files depend on: settings, keys of earlier steps.
            make: Writes the files, each under its name only when it is whole; may
                return a line about what it found.
            message: What to say before it begins.

        Returns:
            The key of the step, for the steps that depend on it.
        """
        key = _key(name, depends)
        stamp = self.folder / f"{name}.json"
        if not _is_done(stamp, key, files):
            if message is not None:
                say(message)
            self.finished.unlink(missing_ok=True)
            stamp.unlink(missing_ok=True)
            report = make()
            write_json(stamp, _stamp(key, files, report))
            self.done.append(name)
            if report is not None:
                say(report)
        return key


def made_by(*makers: ModuleType | str) -> dict[str, str]:
    """Say what code the files of a step depend on.

    Args:
        makers: Modules of this project, or names of installed distributions.

    Returns:
        The checksum of each module's source, the version of each distribution.
    """
    return {
        **{name: _version(name) for name in makers if isinstance(name, str)},
        **{
            module.__name__: hashlib.sha256(
                inspect.getsource(module).encode()
            ).hexdigest()
            for module in makers
            if isinstance(module, ModuleType)
        },
    }


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"


def _key(name: str, depends: Mapping[str, object]) -> str:
    content = json.dumps([name, dict(depends)], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()


def _stamp(key: str, files: Sequence[Path], report: Report) -> dict[str, object]:
    sizes = {file.name: file.stat().st_size for file in files if file.is_file()}
    return {"key": key, "bytes": sizes, "report": report}


def _is_done(stamp: Path, key: str, files: Sequence[Path]) -> bool:
    if not stamp.exists() or not all(file.exists() for file in files):
        return False
    found = json.loads(stamp.read_bytes())
    return bool(found == _stamp(key, files, found.get("report")))
