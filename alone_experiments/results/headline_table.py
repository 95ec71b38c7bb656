"""The tables of an experiment with headlines, in the layout of the paper's Table 3.

One of the models, one of the scores and lengths for each desired length, and one of the
differences between rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from statistics import mean
from typing import Any

from alone_experiments.results.headline_results import METRICS, by_name
from alone_experiments.results.result_files import (
    Record,
    factorised_twin,
    group_by_row,
    trained_values,
)
from alone_experiments.results.table_parts import (
    align,
    describe_origin,
    distinct,
    format_difference,
    format_mean,
    header,
    inner_size,
    share,
    total_values,
)

Group = list[Record]
Columns = dict[str, Callable[[Group], str]]

ENCODINGS = {
    "--length-lrpe": "LRPE",
    "--length-ldpe": "LDPE",
    "--length-ordinary": "PE",
}


def length_control(record: Record) -> str:
    """Name the decoder's encodings as the paper does, ``none`` without length control.

    Args:
        record: A run.

    Returns:
        Such as ``LRPE+PE``.
    """
    found = [name for flag, name in ENCODINGS.items() if flag in record["command"]]
    return "none" if set(found) <= {"PE"} else "+".join(found)


def validation_loss(group: Group) -> str:
    """Write the last validation loss of a row."""
    return format_mean([record["valid"]["loss"][-1][1] for record in group])


MODEL_COLUMNS: Columns = {
    "row": lambda group: str(group[0]["row"]),
    "method": lambda group: str(group[0]["method"]),
    "length control": lambda group: length_control(group[0]),
    "H": lambda group: inner_size(group[0]),
    "embedding values": lambda group: f"{trained_values(group[0]):,}",
    "share of lookup": lambda group: share(group[0]),
    "stored bytes": lambda group: f"{group[0]['footprint']['stored_bytes']:,}",
    "total values": lambda group: total_values(group[0]),
    "validation loss": validation_loss,
}


def score_columns(name: str) -> Columns:
    """Make the columns of a desired length.

    Args:
        name: The desired length, as the records name it.

    Returns:
        What writes the cell of a row, by column.
    """
    columns = {key: MODEL_COLUMNS[key] for key in ("row", "H", "embedding values")}
    for metric in METRICS:
        columns[metric] = partial(rouge, name=name, metric=metric)
    columns["in the paper"] = lambda group: published_scores(group[0], name)
    columns |= {
        "length - N": lambda g: lengths(g, name, "mean_difference", "+.1f"),
        "abs(length - N)": lambda g: lengths(
            g, name, "mean_absolute_difference", ".1f"
        ),
        "at most N": lambda g: lengths(g, name, "within_characters", ".1%"),
    }
    return columns


def rouge(group: Group, name: str, metric: str) -> str:
    """Write a score in percent with its interval, of several seeds the deviation."""
    scores = [record["test"]["rouge"][name] for record in group]
    found = [entry["scores"][metric][entry["reported"]] for entry in scores]
    text = format_mean([100 * entry["average"] for entry in found])
    if len(group) > 1:
        return text
    return f"{text} [{100 * found[0]['lower']:.2f}, {100 * found[0]['upper']:.2f}]"


def lengths(group: Group, name: str, statistic: str, form: str) -> str:
    """Write a statistic of the lengths, of several seeds the mean."""
    found = [record["test"]["rouge"][name]["lengths"] for record in group]
    return format(mean(entry[statistic] for entry in found), form) if all(found) else ""


def published_scores(record: Record, name: str) -> str:
    """Find the paper's numbers, which are of DUC-2004, in the header of the row's file.

    Args:
        record: A run of the row.
        name: The desired length, as the record names it.

    Returns:
        ROUGE-1, -2 and -L; empty where there are none.
    """
    scores = record["test"]["rouge"][name]["signature"]
    pattern = r"^# Paper: ROUGE-1 ([\d.]+), ROUGE-2 ([\d.]+), ROUGE-L ([\d.]*\d)"
    found = re.search(pattern, header(record), flags=re.MULTILINE)
    return " / ".join(found.groups()) if found and "preset:duc2004" in scores else ""


def write_columns(columns: Columns, groups: list[Group], left_aligned: int = 1) -> str:
    """Lay out a table; columns that are empty in every row are left out."""
    cells = {
        name: [write(group) for group in groups] for name, write in columns.items()
    }
    kept = [[name, *column] for name, column in cells.items() if any(column)]
    return align(kept, left_aligned)


def describe_scores(record: Record, name: str) -> str:
    """Say what is in the table of a desired length.

    Args:
        record: A run.
        name: The desired length, as the record names it.

    Returns:
        A line of Markdown.
    """
    test_set, _, desired = name.rpartition("/")
    scores = record["test"]["rouge"][name]
    fields = dict(part.partition(":")[::2] for part in scores["signature"].split("|"))
    kind = "F1" if scores["reported"] == "f1" else scores["reported"]
    limit = "" if fields["bytes"] == "all" else f" of the first {fields['bytes']} bytes"
    references = scores["references"]
    return (
        f"**Desired length N = {desired}{f', {test_set}' if test_set else ''}**: {kind}"
        f"{limit}, {scores['lines']:,} lines with {references}"
        f" reference{'s' if references > 1 else ''}"
    )


def current(comparisons: list[Record], records: list[Record]) -> list[Record]:
    """Pick the comparisons of those headlines that the records keep now.

    Args:
        comparisons: What ``compare_results`` wrote.
        records: The records of the experiment.

    Returns:
        All but those of runs that have been made again since.
    """
    checksums = {
        (record["row"], record["seed"], name): scores["headlines"]["sha256"]
        for record in records
        for name, scores in record["test"]["rouge"].items()
        if "headlines" in scores
    }
    return [
        entry
        for entry in comparisons
        if entry.get("headlines")
        == [
            checksums.get((entry[side], entry["seed"], entry["length"]))
            for side in ("row", "baseline")
        ]
    ]


def write_differences(records: list[Record], comparisons: list[Record]) -> str:
    """Make the table of differences between rows, in points of ROUGE.

    Args:
        records: All records.
        comparisons: What :func:`current` left.

    Returns:
        Markdown; empty without a comparison.
    """
    table = [["row"], ["against"], ["N"], *([metric] for metric in METRICS)]
    for name in test_names(records):
        for group in group_by_row(records):
            for baseline in ("lookup", factorised_twin(group[0], records)):
                wanted = (group[0]["row"], baseline, name)
                found = [e for e in comparisons if _of(e) == wanted]
                if found and baseline:
                    cells = [*wanted[:2], name, *(_points(found, m) for m in METRICS)]
                    for column, cell in zip(table, cells, strict=True):
                        column.append(str(cell))
    return align(table, 2) if len(table[0]) > 1 else ""


def _of(entry: Record) -> tuple[Any, ...]:
    return entry["row"], entry["baseline"], entry["length"]


def _points(entries: list[Record], metric: str) -> str:
    found = [(entry["seed"], entry["metrics"][metric]) for entry in entries]
    return format_difference(
        [(seed, 100 * m["difference"], m["p_value"]) for seed, m in found]
    )


def test_names(records: list[Record]) -> list[str]:
    """Name all desired lengths of the records."""
    return sorted(
        {n for record in records for n in record["test"]["rouge"]}, key=by_name
    )


def format_remarks(records: list[Record], comparisons: list[Record]) -> list[str]:
    """Say below the tables what all numbers share, and where they do not.

    Args:
        records: All records.
        comparisons: What :func:`current` left.

    Returns:
        One text a line.
    """
    scores = [s for record in records for s in record["test"]["rouge"].values()]
    remarks = [
        *(f"ROUGE: {found}" for found in sorted({s["signature"] for s in scores})),
        "In brackets: bootstrap interval over the lines. Lengths in characters, means"
        " over the lines. Validation loss in bits a token, after the last update.",
    ]
    if comparisons:
        tests = distinct(entry["signature"] for entry in comparisons)
        remarks.append(
            "p: paired approximate randomisation of the ROUGE of each line, one a seed,"
            f" not corrected for the number of tests: {tests}"
        )
    elif any("headlines" in entry for entry in scores):
        remarks.append("No test of significance: nothing to compare, or not compared.")
    else:
        remarks.append("No test of significance: the headlines were not kept.")
    return remarks + describe_origin(records)


def make_headline_table(records: list[Record], comparisons: list[Record]) -> str:
    """Make the tables of an experiment with headlines.

    Args:
        records: Its records, in any order.
        comparisons: What ``compare_results`` made of them.

    Returns:
        Markdown, remarks included, with a line feed at the end.
    """
    comparisons = current(comparisons, records)
    parts = [write_columns(MODEL_COLUMNS, group_by_row(records), left_aligned=3)]
    for name in test_names(records):
        scored = [record for record in records if name in record["test"]["rouge"]]
        parts.append(describe_scores(scored[0], name))
        parts.append(write_columns(score_columns(name), group_by_row(scored)))
    if differences := write_differences(records, comparisons):
        parts += ["**Differences in points of ROUGE**", differences]
    parts.append("  \n".join(format_remarks(records, comparisons)))
    return "\n\n".join(parts) + "\n"
