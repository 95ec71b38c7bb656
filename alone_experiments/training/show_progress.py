"""Show the JSON log of fairseq-train, read from standard input, to a human."""

from __future__ import annotations

import sys
import time
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


def main() -> None:
    """Print every validation, and a line about the training every few seconds."""
    limit = sys.argv[1] if len(sys.argv) > 1 else ""
    max_update = int(limit) if limit.isdigit() else None
    last = 0.0
    for line in sys.stdin:
        found = parse_line(line)
        if found is None or found[0] == "train":
            continue
        is_training = found[0] == "train_inner"
        if is_training and time.monotonic() - last < SECONDS_BETWEEN_LINES:
            continue
        print(describe(*found, max_update), file=sys.stderr, flush=True)
        if is_training:
            last = time.monotonic()


if __name__ == "__main__":
    main()
