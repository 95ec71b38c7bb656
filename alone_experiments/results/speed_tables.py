"""Tables of speed and memory for the pages, from the records of the benchmark."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from alone_experiments.mistakes import Mistake
from alone_experiments.results.code_tables import VOCABULARY
from alone_experiments.results.columns import Column, write_table
from alone_experiments.results.result_files import read_json

UNITS = {
    "seconds": (1.0, "s"),
    "peak_bytes": (2.0**-20, "MiB"),
    "tokens_per_second": (1.0, "tokens/s"),
    "sentences_per_second": (1.0, "sentences/s"),
}
RATIOS = ("lookup", "published", "plain")
_SIZE = re.compile(r" H=(\d+)")

Figure = dict[str, Any]

Variant = tuple[str, list[Figure]]
"""Its name without the inner size, and its figures, one a size."""


def speed(root: Path, folder: str, quantity: str) -> str:
    """Make the table of one quantity, the sizes of a variant side by side.

    Args:
        root: Folder that ``folder`` is in.
        folder: Such as ``results/benchmarks/train``.
        quantity: As the record names it, such as ``fairseq-train, speed``.

    Returns:
        Markdown: for each variant its inner sizes H, medians, and medians of the
        ratios to the look-up table, to the published formulation, and to the same
        variant without the chunked loss or compilation.
    """
    variants: dict[str, list[Figure]] = {}
    for figure in read_figures(root / folder, quantity):
        if figure["value"] is not None:
            variants.setdefault(_SIZE.sub("", figure["variant"]), []).append(figure)
    factor, unit = UNITS[next(iter(variants.values()))[0]["field"]]
    columns = [
        Column[Variant]("variant", lambda variant: variant[0], words=True),
        Column[Variant]("H", lambda variant: _sizes(variant[1])),
        Column[Variant](unit, lambda variant: _medians(variant[1], factor)),
        *(Column(f"of {of}", partial(_ratios, of=of)) for of in RATIOS),
    ]
    return write_table(columns, [*variants.items()])


def ratios(root: Path, folder: str, quantity: str, of: str, pattern: str = "") -> str:
    """Write the smallest and the largest of several ratios, such as ``0.76 to 0.77``.

    Args:
        root: Folder that ``folder`` is in.
        folder: Such as ``results/benchmarks/step``.
        quantity: As the record names it.
        of: ``lookup``, ``published`` or ``plain``.
        pattern: Regular expression that the names of the variants match; all if empty.
    """
    found = [
        figure["ratios"][of]["median"]
        for figure in read_figures(root / folder, quantity)
        if of in figure["ratios"] and re.search(pattern, figure["variant"])
    ]
    if not found:
        raise Mistake(f"no ratio to '{of}' of {quantity}")
    return f"{min(found):.2f} to {max(found):.2f}"


def sampling(root: Path, folder: str) -> str:
    """Make the table of whole training steps by vocabulary.

    Args:
        root: Folder that ``folder`` is in.
        folder: Such as ``results/benchmarks/sampling``.

    Returns:
        Markdown, as :func:`write_sampling` writes it.

    Raises:
        Mistake: If the benchmark has no such part.
    """
    rows = read_json(root / folder / "benchmark.json").get("sampling")
    if not rows:
        raise Mistake(f"{folder} has no measurements of sampling")
    return write_sampling(rows)


def write_sampling(rows: list[Figure]) -> str:
    """Lay out what whole training steps take by vocabulary.

    Args:
        rows: As the benchmark has them under ``sampling``.

    Returns:
        Markdown: time, speed and peak memory of a step, and what time and memory are to
        those of the same model and variant with the paper's vocabulary, and with all
        words in the softmax; ``—`` where nothing was measured. A column without any
        number is left out.
    """

    def number(field: str, factor: float = 1.0) -> Callable[[Figure], str]:
        gap = "—" if any(row.get(field) is not None for row in rows) else ""

        def cell(row: Figure) -> str:
            value = row.get(field)
            return gap if value is None else short(value * factor)

        return cell

    def words(row: Figure) -> str:
        return f"{row['words']:,}" if "words" in row else ""  # older records have none

    mebibytes, _ = UNITS["peak_bytes"]
    same = f"of V = {VOCABULARY:,}"
    columns = [
        Column[Figure]("model", lambda row: str(row["model"]), words=True),
        Column[Figure]("V", lambda row: f"{row['vocabulary']:,}"),
        Column[Figure]("variant", lambda row: str(row["variant"]), words=True),
        Column[Figure]("words in the softmax", words),
        Column[Figure]("step, s", number("seconds")),
        Column[Figure](same, number("time_ratio")),
        Column[Figure]("of all words", number("time_of_all")),
        Column[Figure]("target tokens/s", number("tokens_per_second")),
        Column[Figure]("peak, MiB", number("peak_bytes", mebibytes)),
        Column[Figure](same, number("memory_ratio")),
        Column[Figure]("of all words", number("memory_of_all")),
    ]
    return write_table(columns, rows)


def read_figures(folder: Path, quantity: str) -> list[Figure]:
    """Read the figures of a quantity.

    Raises:
        Mistake: If the benchmark has none.
    """
    record = read_json(folder / "benchmark.json")
    found = [each for each in record["figures"] if each["quantity"] == quantity]
    if not found:
        there = dict.fromkeys(each["quantity"] for each in record["figures"])
        raise Mistake(f"no quantity '{quantity}' (there are: {'; '.join(there)})")
    return found


def _sizes(figures: list[Figure]) -> str:
    sizes = [_SIZE.search(figure["variant"]) for figure in figures]
    return " / ".join(size[1] for size in sizes if size)


def _medians(figures: list[Figure], factor: float) -> str:
    return " / ".join(short(each["value"]["median"] * factor) for each in figures)


def _ratios(variant: Variant, of: str) -> str:
    found = [
        each["ratios"][of]["median"] for each in variant[1] if of in each["ratios"]
    ]
    return " / ".join(
        f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2f}" for ratio in found
    )


def short(value: float) -> str:
    """Write a number with three digits, or all that stand before the point."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:#.3g}"
