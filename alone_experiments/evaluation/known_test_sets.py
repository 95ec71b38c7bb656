"""Telling whether references are those of a test set that SacreBLEU knows."""

from __future__ import annotations

import socket
import sys
from collections.abc import Sequence

from sacrebleu.dataset import DATASETS
from sacrebleu.utils import get_reference_files

from alone_experiments.lines import read_lines
from alone_experiments.mistakes import Mistake

PATIENCE = 20.0  # seconds without an answer


def recognise(test_set: str, references: Sequence[str]) -> str | None:
    """Compare references with SacreBLEU's own copy of a test set.

    SacreBLEU downloads it on first use, to ``~/.sacrebleu`` or ``$SACREBLEU``. What
    cannot be compared, or differs, is said on the error stream.

    Args:
        test_set: ``<name>:<source>-<target>``, such as ``wmt14/full:en-de``.
        references: Raw references, in order.

    Returns:
        ``test_set`` if they are the same line by line, else ``None``.

    Raises:
        Mistake: If SacreBLEU has no such test set.
    """
    name, _, pair = test_set.partition(":")
    if name not in DATASETS or pair not in DATASETS[name].langpairs:
        raise Mistake(
            f"--test-set {test_set}: SacreBLEU has no such test set: write it as"
            " wmt14/full:en-de; sacrebleu --list names them"
        )
    patience = socket.getdefaulttimeout()
    socket.setdefaulttimeout(PATIENCE)
    try:
        theirs = read_lines(get_reference_files(name, pair)[0])
    # SacreBLEU ends the program where a checksum is wrong.
    except (OSError, SystemExit) as error:
        print(f"test set: could not get SacreBLEU's {name}: {error}", file=sys.stderr)
        return None
    finally:
        socket.setdefaulttimeout(patience)
    if theirs == list(references):
        return test_set
    print(f"test set: not SacreBLEU's {name} ({pair})", file=sys.stderr)
    return None
