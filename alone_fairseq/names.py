"""Things that are chosen by name: methods, output layers."""

import difflib
from collections.abc import Mapping
from typing import TypeVar

from .errors import AloneError

Thing = TypeVar("Thing")


def find(known: Mapping[str, Thing], name: str, flag: str) -> Thing:
    """Find what a user named.

    Args:
        known: Things by name.
        name: The user's name for one.
        flag: The flag that took it.

    Raises:
        AloneError: If there is none of that name; similar ones are proposed.
    """
    if name in known:
        return known[name]
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    raise AloneError(
        f"{flag} '{name}' does not exist (there are {', '.join(known)}){hint}"
    )


def refuse_bad_name(known: Mapping[str, object], name: str, kind: str) -> None:
    """Refuse to register a name that is taken or not in snake_case.

    Args:
        known: Things by name.
        name: The new name.
        kind: What is registered, in words.

    Raises:
        ValueError: If the name cannot be used.
    """
    if not name.isidentifier() or name != name.lower():
        raise ValueError(f"{kind} {name!r} is not in snake_case")
    if name in known:
        raise ValueError(f"{kind} {name!r} is registered twice")
