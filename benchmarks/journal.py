"""What was measured so far, kept so that an interrupted run can be carried on."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from alone_experiments.files import write_text
from alone_experiments.mistakes import Mistake

from .job import Job
from .plan import Measurement


class Journal:
    """A file with a line for what a run depends on and one for each measurement.

    Args:
        file: The file; it is made where there is none.
        header: All that the run depends on. A file that was begun with another is
            refused, since numbers of two programs must not meet in one table.

    Attributes:
        done: Results so far.

    Raises:
        Mistake: If the file belongs to another run.
    """

    def __init__(self, file: Path, header: dict[str, Any]) -> None:
        """Read what is there; a line that a kill cut off is dropped."""
        self._file = file
        self.done: dict[Measurement, dict[str, Any]] = {}
        lines = file.read_text().splitlines(keepends=True) if file.exists() else []
        whole = [line for line in lines if line.endswith("\n")]
        first = json.dumps(header) + "\n"
        if whole[1:] and whole[0] != first:
            raise Mistake(
                f"{file} was begun with other settings or another commit: give --force"
                " to begin again, or another --output"
            )
        for line in whole[1:]:
            measurement, result = _read(line)
            self.done[measurement] = result
        write_text(file, "".join([first, *whole[1:]]))

    def add(self, measurement: Measurement, result: dict[str, Any]) -> None:
        """Write a result down.

        Args:
            measurement: What was measured.
            result: What came of it.
        """
        self.done[measurement] = result
        fields = {**to_dict(measurement), "result": result}
        with open(self._file, "a") as file:
            file.write(json.dumps(fields) + "\n")


def holds_results(file: Path) -> bool:
    """Say whether a journal is there and has a measurement beside its header."""
    return file.exists() and file.read_text().count("\n") > 1


def to_dict(measurement: Measurement) -> dict[str, Any]:
    """Give a measurement as plain values."""
    return dataclasses.asdict(measurement)


def from_dict(fields: dict[str, Any]) -> Measurement:
    """Read what :func:`to_dict` gave."""
    job = Job.from_json(json.dumps(fields["job"]))
    return Measurement(fields["part"], fields["purpose"], fields["round"], job)


def _read(line: str) -> tuple[Measurement, dict[str, Any]]:
    fields = json.loads(line)
    return from_dict(fields), fields["result"]
