"""Code in the options of a checkpoint, which fairseq would run."""

from __future__ import annotations

import ast
import re
from argparse import Namespace
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .errors import AloneError

_NAMES_A_PLACE = re.compile(
    r"(data|dir|file|path|logdir|model|init|codes|project|from|lengths|json|repo)$"
)


def refuse_code(state: Mapping[str, Any], path: Path) -> None:
    """Refuse a checkpoint with an option that would call something when evaluated.

    fairseq hands some options that are texts to Python's ``eval`` when it builds a
    model (layers of ConvS2S, ``--decoder-attention`` of an LSTM, and others), and a
    loader that is safe otherwise lets texts through. What is meant there are lists,
    numbers and truth values, which call nothing. Options that name files are never
    evaluated, and ``runs(2)`` is a fair name of a folder.

    Args:
        state: What the file holds.
        path: The file.

    Raises:
        AloneError: If there is such an option.
    """
    for name, text in _texts({key: state.get(key) for key in ("args", "cfg")}):
        if not _NAMES_A_PLACE.search(name) and _calls(text):
            raise AloneError(
                f"{path}: the checkpoint was refused, since its option {name} holds"
                f" code ({text[:40]!r}): use only checkpoints that fairseq wrote"
            )


def _texts(options: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(options, str):
        yield name, options
    elif isinstance(options, Namespace):
        yield from _texts(vars(options))
    elif hasattr(options, "items_ex"):  # omegaconf's, whose items() fills texts in
        for key, value in options.items_ex(resolve=False):
            yield from _texts(value, str(key))
    elif isinstance(options, Mapping):
        for key, value in options.items():
            yield from _texts(value, str(key))
    elif isinstance(options, list | tuple):
        for value in options:
            yield from _texts(value, name)


def _calls(text: str) -> bool:
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False  # eval would not get further
    return any(isinstance(node, ast.Call) for node in ast.walk(tree))
