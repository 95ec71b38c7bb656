"""The log of a running training, put in words for a human."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from alone_experiments.training.training_log import parse_line

SECONDS_BETWEEN_LINES = 10.0


def describe(kind: str, numbers: dict[str, Any], max_update: int | None) -> str:
    """Put a line of the log in words.

    Args:
        kind: ``train_inner`` or ``valid``.
        numbers: What the line says.
        max_update: Update at which the training will end, if that is known.

    Returns:
        One line.
    """
    of_all = f"/{max_update}" if max_update else ""
    if kind == "valid":
        update, loss = numbers["valid_num_updates"], numbers["valid_loss"]
        ppl = numbers["valid_ppl"]
        return f"    update {update}{of_all}  validation loss {loss}  ppl {ppl}"
    line = (
        f"    update {numbers['num_updates']}{of_all}  loss {numbers['loss']}"
        f"  {float(numbers['wps']):,.0f} tokens/s"
    )
    ups = float(numbers["ups"])
    if max_update and ups > 0:
        minutes = (max_update - int(numbers["num_updates"])) / ups / 60
        line += f"  {max(minutes, 0):.1f} min left"
    return line


class Progress:
    """Shows what a training adds to its log: validations, and a line now and then.

    Args:
        log: File that the training appends to; what it holds now is passed over.
        max_update: Update at which the training will end, if that is known.
    """

    def __init__(self, log: Path, max_update: int | None) -> None:
        """Begin at the end of the log."""
        self._log, self._max_update = log, max_update
        self._read = log.stat().st_size if log.exists() else 0
        self._last = -SECONDS_BETWEEN_LINES

    def show(self) -> None:
        """Print to standard error what there is to say of the lines that are new."""
        with self._log.open("rb") as file:
            file.seek(self._read)
            for line in file:
                if not line.endswith(b"\n"):  # it is still being written
                    break
                self._read += len(line)
                self._show_line(line.decode(errors="replace"))

    def _show_line(self, line: str) -> None:
        found = parse_line(line)
        if found is None or found[0] == "train":
            return
        now = time.monotonic()
        if found[0] == "train_inner":
            if now - self._last < SECONDS_BETWEEN_LINES:
                return
            self._last = now
        print(describe(*found, self._max_update), file=sys.stderr, flush=True)
