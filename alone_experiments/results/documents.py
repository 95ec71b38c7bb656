"""The ``docs`` command: what the pages say of results and code is made from them.

In README.md and docs/*.md the text between ``<!-- made: MAKER WORDS -->`` and
``<!-- end -->`` is written by this command: a block where the marker ends its line,
a few words inside a sentence where it does not.
"""

from __future__ import annotations

import argparse
import importlib
import re
import shlex
from itertools import zip_longest
from pathlib import Path

from alone_experiments.files import write_text
from alone_experiments.mistakes import Mistake, say
from alone_experiments.repository import ROOT, shown

MAKERS = {
    "table": "result_tables",
    "value": "record_values",
    "minutes": "record_values",
    "speed": "speed_tables",
    "ratios": "speed_tables",
    "sampling": "speed_tables",
    "methods": "code_tables",
    "all_methods": "method_tables",
    "output_layers": "code_tables",
    "options": "option_tables",
    "commands": "code_tables",
    "row_count": "code_tables",
    "trust": "trust_tables",
    "trust_total": "trust_tables",
    "sizes": "code_tables",
    "code_sizes": "codes_tables",
    "code_grid": "codes_tables",
}
"""Module of each maker; the function of that name takes the words of the marker."""

_MARKER = re.compile(r"<!-- (made: (?P<words>[^\n]*?)|end) -->")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("files", nargs="*", type=Path, help="pages [README.md, docs/*]")
    parser.add_argument(
        "--check",
        action="store_true",
        help="change nothing; fail if a page is not what this command makes of it",
    )


def run(args: argparse.Namespace) -> None:
    """Make the pages anew, or check them.

    Raises:
        Mistake: If a marker is wrong or, with ``--check``, a page is stale.
    """
    stale = 0
    for file in args.files or pages(ROOT):
        old, name = _read(file), shown(file)
        new = make(old, name, ROOT)
        if new == old:
            continue
        stale += 1
        if args.check:
            print(f"{name}:{first_difference(old, new)}")
        else:
            write_text(file, new)
            say(f"{name}: made anew")
    if args.check and stale:
        raise Mistake(
            f"{stale} of the pages differ from the records: run 'alone-fairseq docs'"
        )


def pages(root: Path) -> list[Path]:
    """List the pages of a checkout."""
    return [root / "README.md", *sorted((root / "docs").glob("*.md"))]


def make(text: str, name: str, root: Path) -> str:
    """Make a page anew.

    Args:
        text: The page.
        name: Its name, for messages.
        root: Folder that the names of records in the markers start from.

    Returns:
        The page with everything between its markers made from records and code.

    Raises:
        Mistake: If a marker is wrong; the line names the page and its line.
    """
    parts, done = [], 0
    markers = list(_MARKER.finditer(text))
    for begin, end in zip_longest(markers[::2], markers[1::2]):
        try:
            if begin["words"] is None or end is None or end["words"] is not None:
                raise Mistake("each <!-- made: ... --> needs an <!-- end --> after it")
            made = _make_part(begin["words"], root)
        except (Mistake, OSError, LookupError, TypeError, ValueError) as error:
            line = text.count("\n", 0, begin.start()) + 1
            raise Mistake(f"{name}:{line}: {begin[0]}: {error}") from error
        is_block = text.startswith("\n", begin.end())
        parts += [text[done : begin.end()], f"\n\n{made}\n\n" if is_block else made]
        done = end.start()
    return "".join([*parts, text[done:]])


def _make_part(words: str, root: Path) -> str:
    name, *arguments = shlex.split(words)
    if name not in MAKERS:
        raise Mistake(f"'{name}' makes nothing (there are {', '.join(MAKERS)})")
    module = importlib.import_module(f"alone_experiments.results.{MAKERS[name]}")
    made: str = getattr(module, name)(root, *arguments)
    return made.strip("\n")


def first_difference(old: str, new: str) -> str:
    """Say where a page differs first.

    Returns:
        Number of the line, what it says, and what it would say.
    """
    olds, news = old.split("\n"), new.split("\n")
    shorter = min(len(olds), len(news))
    place = next((i for i in range(shorter) if olds[i] != news[i]), shorter)
    said, says = (lines[place] if place < len(lines) else "" for lines in (olds, news))
    return f"{place + 1}: is stale\n  it says   {said}\n  should be {says}"


def _read(page: Path) -> str:
    try:
        return page.read_text(encoding="utf-8")
    except OSError as error:
        raise Mistake(f"{page}: {error.strerror}") from error
