"""The parts of the campaign: a new one is a line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.campaign import (
    bad_input,
    full_disk,
    hostile_text,
    kills,
    old_files,
    silence,
)


@dataclass(frozen=True)
class Part:
    """A part of the campaign.

    Attributes:
        about: What it does, for the help.
        run: Does it, given a folder to work in, a seed and an amount; returns ``rows``
            and ``failures``.
        short: Amount of the short form.
        long: Amount of the long form.
    """

    about: str
    run: Callable[[Path, int, int], dict[str, Any]]
    short: int
    long: int


PARTS = {
    "disk": Part("writers without room or permission", full_disk.run, 3, 64),
    "input": Part(
        "files changed at random, for every reader", bad_input.run, 60, 10_000
    ),
    "silence": Part("numbers made from nothing or NaN", silence.run, 99, 99),
    "files": Part("checkpoints of old writers, and with code", old_files.run, 1, 9),
    "text": Part("hostile lines to translate", hostile_text.run, 300, 100_000),
    "kills": Part("random kills of every long job", kills.run, 4, 240),
}
"""Amounts are what each part's ``run`` calls its last argument."""
