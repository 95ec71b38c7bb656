"""The state of a fit on its way: after a kill the same command carries on from it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from alone_experiments.mistakes import Mistake
from alone_experiments.results.result_files import read_json
from alone_experiments.tensor_files import write_tensors
from alone_fairseq.checkpoints import read
from alone_fairseq.errors import AloneError


class Unfinished:
    """What is kept beside a file until the fit that makes it is done.

    Args:
        output: The file; the state is in one of its name with ``.unfinished`` added.
        settings: What the fit depends on, as plain data.
    """

    def __init__(self, output: Path, settings: Mapping[str, Any]) -> None:
        """Name the file of the state, and begin to count seconds."""
        self.path = output.with_name(f"{output.name}.unfinished")
        self.settings = dict(settings)
        self._before, self._start = 0.0, time.monotonic()

    @property
    def seconds(self) -> float:
        """How long the fit has taken, earlier tries included up to their last saves."""
        return self._before + time.monotonic() - self._start

    def carry_on(
        self, force: bool = False, usual: Mapping[str, Any] | None = None
    ) -> dict[str, Any] | None:
        """Read what an earlier try saved last.

        Args:
            force: Whether to begin anew.
            usual: Values of settings that older files lack.

        Returns:
            What was given to :meth:`save`; ``None`` where there is nothing.

        Raises:
            Mistake: If it is damaged, or of other settings.
        """
        state = None if force else self.read()
        if state is None:
            return None
        theirs = {**(usual or {}), **state.get("settings", {})}
        refuse_other_settings(theirs, self.settings, self.path)
        self._before = float(state["seconds"])
        found: dict[str, Any] = state["fit"]
        return found

    def read(self) -> dict[str, Any] | None:
        """Read the whole file, whatever settings it is of.

        Returns:
            Its content; ``None`` where there is no file.

        Raises:
            Mistake: If it is damaged.
        """
        if not self.path.exists():
            return None
        try:
            return read(self.path)
        except AloneError as error:
            raise Mistake(f"{error}; remove it, or begin anew with --force") from None

    def save(self, fit: dict[str, Any]) -> None:
        """Keep all that is needed to go on, in the place of what was kept before.

        Raises:
            Mistake: If it cannot be written.
        """
        state = {"settings": self.settings, "fit": fit, "seconds": self.seconds}
        write_tensors(self.path, state)

    def remove(self) -> None:
        """Remove the state: the fit is done."""
        self.path.unlink(missing_ok=True)


def read_done(
    output: Path, settings: Mapping[str, Any], force: bool
) -> dict[str, Any] | None:
    """Read the record of a fit that is done already, and say so.

    Args:
        output: File of the record.
        settings: What the fit depends on, as plain data.
        force: Whether it shall be done again.

    Returns:
        The record; ``None`` where the fit is to be done.

    Raises:
        Mistake: If the record is damaged or of other settings.
    """
    if force or not output.exists():
        return None
    record = read_json(output)
    if not isinstance(record, dict):
        raise Mistake(f"{output}: is no record; name another --output")
    refuse_other_settings(record.get("settings", {}), settings, output)
    print(f"{output}: is done already")
    return record


def refuse_other_settings(
    theirs: Mapping[str, Any], mine: Mapping[str, Any], path: Path
) -> None:
    """Compare the settings of a file with those that are wanted now.

    Raises:
        Mistake: If one differs; the line names it.
    """
    for name, value in mine.items():
        known = theirs.get(name)
        if isinstance(value, dict) and isinstance(known, dict):
            refuse_other_settings(known, value, path)
        elif known != value:
            raise Mistake(
                f"{path}: is of other settings ({name}: {known}, now {value}); add"
                " --force to replace it, or name another --output"
            )
