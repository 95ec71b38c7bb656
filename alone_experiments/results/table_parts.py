"""Cells, remarks and layout that the tables of experiments share."""

from __future__ import annotations

import json
from collections.abc import Iterable
from statistics import mean, stdev
from typing import Any

from alone_experiments.repository import CONFIGS
from alone_experiments.results.result_files import Record, trained_values


def format_mean(scores: list[float]) -> str:
    """Write a score; several seeds become mean and deviation."""
    text = f"{mean(scores):.2f}"
    if len(scores) > 1:
        text += f" ± {stdev(scores):.2f} ({len(scores)} seeds)"
    return text


def format_p_value(value: float) -> str:
    """Write a p-value, very small ones by their bound."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def inner_size(record: Record) -> str:
    """Find ALONE's inner size H, as the command of the training gave it."""
    words = record.get("command", [])
    flag = "--alone-inter-dim"
    return words[len(words) - words[::-1].index(flag)] if flag in words else ""


def header(record: Record) -> str:
    """Read the file of a row, whose comments say what the paper has; empty without one.

    Args:
        record: A run of the row.

    Returns:
        The text of the file.
    """
    file = CONFIGS / record["experiment"] / f"{record['row']}.flags"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def share(record: Record) -> str:
    """Write the trained values as a share of those of the look-up table."""
    return f"{trained_values(record) / record['lookup_values']:.1%}"


def total_values(record: Record) -> str:
    """Write the trained values of the whole model, where the record has them."""
    values = record.get("total_values")
    return "" if values is None else f"{values:,}"


def format_difference(found: list[tuple[int, float, float]]) -> str:
    """Write a difference, the mean of all seeds, with the p-value of each.

    Args:
        found: Seed, difference and p-value of each comparison.

    Returns:
        Such as ``+0.75 (p = 0.040)``; empty where there is none.
    """
    if not found:
        return ""
    found = sorted(found)
    chances = ", ".join(format_p_value(chance) for _, _, chance in found)
    return f"{mean(difference for _, difference, _ in found):+.2f} ({chances})"


def describe_origin(records: list[Record]) -> list[str]:
    """Say how long and where the runs were trained, and what makes rows incomparable.

    Args:
        records: All records of the table.

    Returns:
        One text a line.
    """
    machines = distinct(machine(record["hardware"]) for record in records)
    commits = distinct(record["commit"][:12] for record in records)
    updates = sorted({record["updates"] for record in records})
    return [
        f"Updates: {', '.join(f'{update:,}' for update in updates)}.",
        f"Hardware: {machines}. Commit: {commits}.",
        *describe_differences(records),
    ]


def describe_differences(records: list[Record]) -> list[str]:
    """Say what makes rows incomparable.

    Args:
        records: All records of the table.

    Returns:
        One text a line, none where all is well.
    """
    remarks = []
    if len({record["updates"] for record in records}) > 1:
        remarks.append("Rows differ in their number of updates: do not compare them.")
    if len({json.dumps(record["data"], sort_keys=True) for record in records}) > 1:
        remarks.append("Rows differ in their data: do not compare them.")
    if any(record["dirty"] for record in records):
        remarks.append("Made with changes that are in no commit: not for publication.")
    return remarks


def distinct(texts: Iterable[str]) -> str:
    """List different texts in their order."""
    return ", ".join(sorted(set(texts)))


def machine(hardware: dict[str, Any]) -> str:
    """Describe the machine of a record."""
    gpu = f", {hardware['gpu']}" if hardware["gpu"] else ""
    return f"{hardware['cpu']}, {hardware['cores']} cores{gpu}"


def align(columns: list[list[str]], left_aligned: int) -> str:
    """Lay out a table in Markdown.

    Args:
        columns: Name and cells of each column.
        left_aligned: Number of columns, from the left, of words; the others hold
            numbers.

    Returns:
        The table without a line feed at the end.
    """
    laid_out = []
    for number, column in enumerate(columns):
        width = max(map(len, column))
        pad = str.ljust if number < left_aligned else str.rjust
        name, *cells = (pad(text, width) for text in column)
        laid_out.append([name, "-" * width, *cells])
    return "\n".join(f"| {' | '.join(c)} |" for c in zip(*laid_out, strict=True))
