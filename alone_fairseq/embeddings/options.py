"""Options of embedding methods: declared and checked in one line each."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..errors import AloneError


def option(default: Any, text: str) -> Any:
    """Declare a field of a method's options.

    Args:
        default: Its default; the command line's type follows from the annotation.
        text: Help text, with the paper's symbol; the default is added to it.

    Returns:
        A dataclass field as fairseq's parser expects it.
    """
    return dataclasses.field(default=default, metadata={"help": f"{text} [{default}]"})


def require(holds: bool, message: str) -> None:
    """Refuse an option.

    Args:
        holds: Whether the option is all right.
        message: One line that names the flag, its value and what it must be.

    Raises:
        AloneError: If ``holds`` is false.
    """
    if not holds:
        raise AloneError(message)
