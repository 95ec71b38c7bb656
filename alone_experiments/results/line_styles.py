"""How lines of plots look: a colour a method, a style a row, eight a panel."""

from __future__ import annotations

import colorsys
import zlib
from collections.abc import Sequence
from typing import Any

from alone_experiments.results.result_files import Group
from alone_experiments.training.experiment import BASELINE

COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7B4F00")
"""Okabe and Ito's colours, which the colour-blind can tell apart, and a brown."""

KNOWN = {
    "lookup": "#000000",
    "alone": "#D55E00",
    "low_rank": "#0072B2",
    "random": "#7F7F7F",
    "codes": "#009E73",
    "hashed": "#CC79A7",
    "define": "#E69F00",
    "deep_hash": "#56B4E9",
    "characters": "#7B4F00",
}
"""Colours of methods; another one's follows from its name."""

STYLES = ("-", "--", ":", "-.")
MARKS = "osD^vPX*"
MOST = 8
"""Lines of a panel."""

IN_EACH_PANEL = (BASELINE, "lookup_shared_moment")
"""What others are seen against: look-up, and look-up without what makes it fast."""


def colour_of(method: str) -> str:
    """Give the colour that a method has in every plot."""
    return KNOWN.get(method) or COLOURS[zlib.crc32(method.encode()) % len(COLOURS)]


def styles(methods: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Tell the rows of a panel apart: the colour says the method.

    Args:
        methods: Method of each row, of all rows of the panel.

    Returns:
        For each row what matplotlib calls ``color``, ``linestyle`` and ``marker``. Rows
        of one method differ in style, and in shade where there are more than styles.
    """
    found: dict[str, dict[str, Any]] = {}
    numbers: dict[str, int] = {}
    # First what is in each panel, to look the same there.
    for row in sorted(methods, key=lambda row: (row not in IN_EACH_PANEL, row)):
        number = numbers.setdefault(methods[row], 0)
        numbers[methods[row]] += 1
        shade, style = divmod(number, len(STYLES))
        found[row] = {
            "color": _lighter(colour_of(methods[row]), shade),
            "linestyle": STYLES[style],
            "marker": MARKS[number % len(MARKS)],
        }
    return found


def _lighter(colour: str, shade: int) -> tuple[float, float, float]:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    hue, light, saturation = colorsys.rgb_to_hls(red, green, blue)
    return colorsys.hls_to_rgb(
        hue, light + (0.9 - light) * (1 - 0.6**shade), saturation
    )


def styles_of(groups: Sequence[Group]) -> dict[str, dict[str, Any]]:
    """Give the style of each row of a panel, as :func:`styles` does."""
    return styles({group[0]["row"]: group[0]["method"] for group in groups})


def panels(groups: Sequence[Group]) -> list[list[Group]]:
    """Share rows among panels of at most eight lines, rows of look-up in each of them.

    Args:
        groups: Rows in their order.

    Returns:
        Rows of each panel; one panel where they are eight or fewer.
    """
    if len(groups) <= MOST:
        return [[*groups]]
    first = [group for group in groups if group[0]["row"] in IN_EACH_PANEL]
    rest = [group for group in groups if group[0]["row"] not in IN_EACH_PANEL]
    room = MOST - len(first)
    number = -(-len(rest) // room)
    size = -(-len(rest) // number)
    return [[*first, *rest[i : i + size]] for i in range(0, len(rest), size)]
