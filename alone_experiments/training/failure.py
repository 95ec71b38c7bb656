"""Why a training ended before its time."""

from __future__ import annotations

import re
from pathlib import Path

_CAUSES = (
    r"^(alone_fairseq: error: .*)",
    # A signal that ended one of several processes goes before what the others said
    # because of it. Processes that end before torchrun looks again are all the same to
    # it, and the first of them is called the cause: but no process kills itself.
    r"^ *traceback *: (Signal 9 .*)",
    r"^Root Cause(?:.*\n)*? *traceback *: (Signal .*)",
)
_EXCEPTION = re.compile(
    r"^(?:\[rank\d+\]: )?[A-Za-z_.]*(?:Error|Exception|Interrupt)\b.*", re.MULTILINE
)


def explain_end(errors: Path) -> str:
    """Find the line of an error stream that says best why a training ended.

    Args:
        errors: File with all that the training and its launcher said.

    Returns:
        The line; empty if nothing was said.
    """
    text = errors.read_text(encoding="utf-8", errors="replace")
    for pattern in _CAUSES:
        if found := re.search(pattern, text, re.MULTILINE):
            return found[1]
    if exceptions := _EXCEPTION.findall(text):
        return str(exceptions[-1])
    return text.rstrip("\n").rpartition("\n")[2]


def ended_by_divergence(errors: Path) -> bool:
    """Tell whether a training ended because its gradients were not finite.

    Args:
        errors: As of :func:`explain_end`; it need not be there.
    """
    return errors.is_file() and "the training diverged" in explain_end(errors)
