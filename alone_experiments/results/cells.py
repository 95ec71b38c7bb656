"""Cells and remarks that the tables of experiments share."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from statistics import mean, stdev
from typing import Any

from alone_experiments.results.columns import Column
from alone_experiments.results.result_files import Group, Record, trained_values
from alone_experiments.training.experiment import last_values

_INNER_SIZE = re.compile("--[a-z-]+-inter-dim")


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
    """Find the inner size H of a method's network; empty where it has none."""
    # Older records have a size only where the command does.
    if "inner_size" in record:
        return str(record["inner_size"])
    words = record.get("command", [])
    sizes = [v for flag, v in last_values(words).items() if _INNER_SIZE.fullmatch(flag)]
    return sizes[-1][0] if sizes else ""


def share(record: Record) -> str:
    """Write the trained values as a share of those of the look-up table."""
    return f"{trained_values(record) / record['lookup_values']:.1%}"


def total_values(record: Record) -> str:
    """Write the trained values of the whole model, where the record has them."""
    values = record.get("total_values")
    return "" if values is None else f"{values:,}"


def packed_bytes(record: Record) -> str:
    """Write what codes and codewords take when they are packed, of codes only."""
    count = record.get("packed_bytes")
    return "" if count is None else f"{count:,}"


def format_difference(found: list[tuple[int, float, float]], seeds: int) -> str:
    """Write a difference, the mean of all seeds, with the p-value of each.

    Args:
        found: Seed, difference and p-value of each comparison.
        seeds: Number of seeds that the row has. Where fewer could be compared, the
            numbers say so: ``+3.00 (1 of 3 seeds: p < 0.001)``.

    Returns:
        Such as ``+0.75 (p = 0.040, p < 0.001)``; empty where there is none. What all
        seeds have in common is said once. Where one gains what another loses, p-values
        alone would seem to speak of the mean, so each has its own difference:
        ``-0.12 (-2.10: p < 0.001, +3.00: p < 0.001)``.
    """
    if not found:
        return ""
    found = sorted(found)
    chances = [format_p_value(chance) for _, _, chance in found]
    differences = [difference for _, difference, _ in found]
    if min(differences) < 0 < max(differences):
        chances = [
            f"{difference:+.2f}: {chance}"
            for difference, chance in zip(differences, chances, strict=True)
        ]
    elif len(set(chances)) == 1:
        del chances[1:]
    some = f"{len(found)} of {seeds} seeds: " if len(found) < seeds else ""
    return f"{mean(differences):+.2f} ({some}{', '.join(chances)})"


ONE_A_SEED = (
    "one a seed, or one for all where they agree, each after its own difference where"
    " seeds differ in sign"
)
"""What a remark says of the p-values that :func:`format_difference` writes."""


def describe_origin(records: list[Record]) -> list[str]:
    """Say how long and where the runs were trained, and what makes rows incomparable.

    Args:
        records: All records of the table.

    Returns:
        One text a line.
    """
    updates = sorted({record["updates"] for record in records})
    return [
        f"Updates: {', '.join(f'{update:,}' for update in updates)}.",
        made_on(records),
        *describe_differences(records),
    ]


def made_on(records: list[Record]) -> str:
    """Name the machines and the commits of records."""
    machines = distinct(machine(record["hardware"]) for record in records)
    return f"Hardware: {machines}. {name_commits(records)}."


def name_commits(records: Iterable[Mapping[str, Any]]) -> str:
    """Name the commits of records, or their number where nobody would read them all."""
    commits = {record["commit"][:12] for record in records}
    if len(commits) > 3:
        return f"Commits: {len(commits)}, which the records name"
    return f"Commit: {distinct(commits)}"


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
    if not have_same_data(records):
        remarks.append("Rows differ in their data: do not compare them.")
    return remarks + describe_changes(records)


MERGES = "bpe/codes"


def have_same_data(records: Sequence[Record]) -> bool:
    """Compare the files of records, which all have, but for the merges.

    A corpus can be trained on and scored without the merges that it was made with.
    """
    merges = {record["data"].get(MERGES) for record in records} - {None}
    files = {
        json.dumps({**record["data"], MERGES: ""}, sort_keys=True) for record in records
    }
    return len(files) <= 1 and len(merges) <= 1


def describe_changes(records: list[Record]) -> list[str]:
    """Say in one text, or none, whether code was used that is in no commit."""
    if not any(record["dirty"] for record in records):
        return []
    return ["Made with changes that are in no commit: not for publication."]


def distinct(texts: Iterable[str]) -> str:
    """List different texts in their order."""
    return ", ".join(sorted(set(texts)))


def machine(hardware: dict[str, Any]) -> str:
    """Describe the machine of a record."""
    gpu = f", {hardware['gpu']}" if hardware["gpu"] else ""
    return f"{hardware['cpu']}, {hardware['cores']} cores{gpu}"


ROW: Column[Group] = Column("row", lambda group: str(group[0]["row"]), words=True)
METHOD: Column[Group] = Column(
    "method", lambda group: str(group[0]["method"]), words=True
)
INNER_SIZE: Column[Group] = Column("H", lambda group: inner_size(group[0]))
VALUES: Column[Group] = Column(
    "embedding values", lambda group: f"{trained_values(group[0]):,}"
)
SIZE: list[Column[Group]] = [
    VALUES,
    Column("share of lookup", lambda group: share(group[0])),
    Column("stored bytes", lambda g: f"{g[0]['footprint']['stored_bytes']:,}"),
    Column("packed bytes", lambda group: packed_bytes(group[0])),
    Column("total values", lambda group: total_values(group[0])),
]
"""How large the embeddings of a row are, and the whole model."""
